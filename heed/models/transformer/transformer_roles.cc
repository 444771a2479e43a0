#include <algorithm>

#include "heed/base/errors.h"
#include "heed/models/registry.h"
#include "heed/models/transformer/transformer.h"

namespace heed {
namespace {

/// Transformer encoder with these settings.
EncoderPart TransformerPart(const std::string& model, TransformerConfig config,
                            const std::string& prefix);

/// Number of learned positions of filled settings; 0: none.
int LearnedPositions(const TransformerConfig& config) {
  return config.position == Position::kLearned ? config.max_positions : 0;
}

class TransformerTranslator
    : public SettingsOf<TransformerTranslator, TranslatorSettings,
                        TransformerConfig> {
 public:
  using SettingsOf::SettingsOf;

  void Fill() override {
    config_.Fill(model_);
    (void)config_.Resolve(model_);
  }
  bool attends() const override { return true; }
  void GuideAlignment() override {
    TransformerConfig& c = config_;
    if (c.alignment_layer < 0) {
      const bool ssru = c.decoder_recurrence == DecoderRecurrence::kSsru;
      c.alignment_layer = std::max(0, c.decoder_layers - (ssru ? 1 : 2));
    }
    if (c.alignment_head < 0) c.alignment_head = 0;
  }
  EncoderPart Encoder() const override {
    EncoderPart part = TransformerPart(model_, config_, "encoder.");
    part.parameters.emplace_back("embedding.", "encoder.embedding.");
    return part;
  }
  std::unique_ptr<Decoder> Make(int source_vocabulary, int target_vocabulary,
                                uint64_t seed, DType dtype) const override {
    return std::make_unique<Transformer>(config_.Resolve(model_),
                                         source_vocabulary, target_vocabulary,
                                         seed, dtype);
  }
};

class TransformerLanguage
    : public SettingsOf<TransformerLanguage, LanguageModelSettings,
                        TransformerConfig> {
 public:
  using SettingsOf::SettingsOf;

  void Fill(int length) override {
    if (config_.max_positions == 0) config_.max_positions = length + 1;
    config_.Fill(model_);
    Require(!(config_.decoder_recurrence == DecoderRecurrence::kSsru),
            "decoder_recurrence: ssru is for translation, whose decoder also "
            "attends to a source; choose none");
    (void)config_.Resolve(model_);
  }
  int positions() const override { return LearnedPositions(config_); }
  EncoderPart Encoder() const override {
    TransformerConfig config = config_;
    config.layers = config_.decoder_layers;
    const std::string& mask = config_.attention_mask;
    config.attention_mask =
        mask == "none" ? "causal" : "causal && (" + mask + ")";
    return TransformerPart(model_, config, "decoder.");
  }
  std::unique_ptr<Decoder> Make(int vocabulary, uint64_t seed,
                                DType dtype) const override {
    return std::make_unique<TransformerLanguageModel>(config_.Resolve(model_),
                                                      vocabulary, seed, dtype);
  }
};

/// Settings of a Transformer in the role EncoderSettings or a more specific
/// one.
template <typename Derived, typename Role>
class EncodingAs : public SettingsOf<Derived, Role, TransformerConfig> {
 public:
  using SettingsOf<Derived, Role, TransformerConfig>::SettingsOf;

  void Visit(FieldList& v) override { this->config_.VisitEncoder(v); }
  void Fill(const EncoderUse& use) override {
    TransformerConfig& c = this->config_;
    if (c.max_positions == 0) c.max_positions = use.length;
    c.Fill(this->model_);
    (void)c.Resolve(this->model_);
  }
  int64_t features() const override { return this->config_.width; }
  int positions() const override { return LearnedPositions(this->config_); }
  std::unique_ptr<SequenceEncoder> Make(const Scope& scope, int64_t inputs,
                                        bool causal) const override {
    return std::make_unique<TransformerEncoder>(
        scope, this->config_.Resolve(this->model_), inputs, causal);
  }
  std::unique_ptr<TextEncoder> MakeText(const Scope& scope,
                                        const TextSizes& sizes) const override {
    if (sizes.vectors > 0) {
      throw ConfigError(
          "model '{}' reads no word vectors beside its own; a recurrent one "
          "does",
          this->model_);
    }
    TransformerConfig c = this->config_;
    if (sizes.segments > 1) c.segments = static_cast<int>(sizes.segments);
    return std::make_unique<TransformerTextEncoder>(
        scope, c.Resolve(this->model_), sizes.vocabulary);
  }
};

class TransformerEncoding
    : public EncodingAs<TransformerEncoding, EncoderSettings> {
 public:
  using EncodingAs::EncodingAs;
  TransformerEncoding(const std::string& model, TransformerConfig config)
      : EncodingAs(model) {
    config_ = std::move(config);
  }
};

EncoderPart TransformerPart(const std::string& model, TransformerConfig config,
                            const std::string& prefix) {
  return {model,
          std::make_unique<TransformerEncoding>(model, std::move(config)),
          {{prefix, "encoder."}}};
}

class BertPretraining
    : public EncodingAs<BertPretraining, PretrainingSettings> {
 public:
  using EncodingAs::EncodingAs;

  int segments() const override { return config_.segments; }
  std::unique_ptr<Bert> MakePretraining(int64_t vocabulary, uint64_t seed,
                                        DType dtype,
                                        bool next_sentence) const override {
    return std::make_unique<Bert>(config_.Resolve(model_), vocabulary, seed,
                                  dtype, next_sentence);
  }
};

/// Forecaster that reads rows.
std::unique_ptr<ModelSettings> MakeRowForecaster(const std::string& model) {
  return std::make_unique<ForecastSettings>(
      std::make_unique<TransformerEncoding>(model),
      ForecastUse{"layers=2 width=64 ff=128 heads=4 dropout=0.2",
                  "lookback=96 patch=1 patch_stride=1 independent_columns=no "
                  "forecast_from=last",
                  /*causal=*/true, 1e-3});
}

/// Forecaster with the paper's patches and sizes for small data (ETTh1). The
/// paper has batch normalisation after each sublayer. Here layer normalisation
/// comes before it and there is no final norm: the head also sees the patches
/// directly, and training starts from a linear forecast.
std::unique_ptr<ModelSettings> MakePatchForecaster(const std::string& model) {
  return std::make_unique<ForecastSettings>(
      std::make_unique<TransformerEncoding>(model),
      ForecastUse{"layers=3 width=16 ff=128 heads=4 dropout=0.2 "
                  "activation=gelu norm=pre final_norm=no position=learned",
                  "pad_end=yes", /*causal=*/false, 3e-3});
}

/// Small forecaster with a linear map of the window, tuned on the validation
/// set of ETTh1 (docs/how-to/forecasting.md). Patches are days of hours.
std::unique_ptr<ModelSettings> MakeLinearPatchForecaster(
    const std::string& model) {
  return std::make_unique<ForecastSettings>(
      std::make_unique<TransformerEncoding>(model),
      ForecastUse{"layers=1 width=16 ff=32 heads=4 dropout=0.3 "
                  "activation=gelu norm=pre final_norm=no position=learned",
                  "lookback=504 patch=24 patch_stride=24 linear_readout=yes "
                  "head_dropout=0.9 forecast_loss=absolute",
                  /*causal=*/false, 1e-2});
}

constexpr char kVaswani[] = "Vaswani et al. 2017, arXiv:1706.03762";
constexpr char kDevlin[] = "Devlin et al. 2018, arXiv:1810.04805";
constexpr char kKim[] = "Kim et al. 2019, D19-5632";
constexpr char kTurc[] = "Turc et al. 2019, arXiv:1908.08962";

/// Defaults appended to the sizes of each variant.
constexpr char kUsual[] =
    " dropout=0.1 activation=relu position=sinusoidal max_positions=1024 "
    "tie=output embedding_scale=yes embedding_norm=no segments=0 "
    "attention_dropout=0 activation_dropout=0 norm_epsilon=1e-5 init=glorot";
constexpr char kBert[] =
    " norm=post dropout=0.1 activation=gelu position=learned max_positions=512 "
    "tie=output embedding_scale=no embedding_norm=yes segments=2 "
    "attention_dropout=0.1 activation_dropout=0 norm_epsilon=1e-12 init=normal";
/// Students of translation models: six encoder layers and an SSRU decoder.
constexpr char kStudent[] =
    " layers=6 heads=8 norm=post activation=relu position=sinusoidal_t2t "
    "decoder_recurrence=ssru dropout=0 norm_epsilon=1e-6";
constexpr char kTiny[] = "layers=4 width=128 ff=256 heads=4";

}  // namespace

std::vector<ModelRow> TransformerModels() {
  const auto row = [](const char* name, const char* description,
                      const char* source, const std::string& sizes) {
    return ModelRow{
        .name = name,
        .variants = {{"", description, source, sizes + kUsual}},
        .roles = {MakeRole<TransformerTranslator>,
                  MakeRole<TransformerLanguage>, MakeRole<TransformerEncoding>},
        .bench =
            "tie=all dropout=0.1 attention_dropout=0.1 activation_dropout=0.1"};
  };
  const std::string tiny = kTiny;
  std::vector<ModelRow> rows = {
      row("transformer", "sizes as asked for, else those of transformer-tiny",
          kVaswani, tiny + " norm=pre"),
      row("transformer-tiny", "4 + 4 layers of 128 features, pre-norm",
          "Wu et al. 2021, arXiv:2105.14462", tiny + " norm=pre"),
      row("transformer-marian",
          "as transformer-tiny, post-norm: heed export can write it",
          "Junczys-Dowmunt et al. 2018, arXiv:1804.00344",
          tiny + " norm=post activation=swish position=sinusoidal_concat"),
      row("transformer-base", "6 + 6 layers of 512 features", kVaswani,
          "layers=6 width=512 ff=2048 heads=8 norm=post"),
      row("transformer-big", "6 + 6 layers of 1024 features", kVaswani,
          "layers=6 width=1024 ff=4096 heads=16 norm=post dropout=0.3"),
  };
  const auto add_student = [&](const char* name, const char* description,
                               const std::string& sizes) {
    rows.push_back(row(name, description, kKim, sizes + kStudent));
    rows.back().roles = {MakeRole<TransformerTranslator>};
    rows.back().exports = {"bergamot"};
  };
  add_student("student-tiny", "6 + 2 layers of 256 features, SSRU decoder",
              "width=256 ff=1536 decoder_layers=2");
  add_student("student-base", "6 + 2 layers of 512 features, SSRU decoder",
              "width=512 ff=2048 decoder_layers=2");
  add_student("student-base-memory",
              "6 + 4 layers of 384 features, SSRU decoder",
              "width=384 ff=1536 decoder_layers=4");
  rows.front().roles.push_back(MakeRowForecaster);
  rows.front().variants.front().imports = {"marian/transformer",
                                           "huggingface/marian"};
  for (ModelRow& one : rows) {
    if (one.name == "transformer-marian") one.exports = {"huggingface/marian"};
    one.bench_decoding = one.name == "transformer-base";
  }
  return rows;
}

std::vector<ModelRow> BertModels() {
  const auto row = [](const char* name, const char* description,
                      const char* source, const std::string& sizes) {
    return ModelRow{.name = name,
                    .variants = {{"", description, source, sizes + kBert}},
                    .roles = {MakeRole<BertPretraining>},
                    .fine_tuning_rate = 3e-4};
  };
  std::vector<ModelRow> rows = {
      row("bert-tiny", "encoder: 2 layers of 128 features", kTurc,
          "layers=2 width=128 ff=512 heads=2"),
      row("bert-mini", "encoder: 4 layers of 256 features", kTurc,
          "layers=4 width=256 ff=1024 heads=4"),
      row("bert-small", "encoder: 4 layers of 512 features", kTurc,
          "layers=4 width=512 ff=2048 heads=8"),
      row("bert-base", "encoder: 12 layers of 768 features", kDevlin,
          "layers=12 width=768 ff=3072 heads=12"),
  };
  rows.back().variants.front().imports = {"huggingface/bert"};
  rows.back().fine_tuning_rate = 5e-5;
  return rows;
}

std::vector<ModelRow> PatchModels() {
  const std::string sizes = std::string(kTiny) + " norm=pre" + kUsual;
  return {{.name = "patchtst-linear",
           .variants = {{"", "patches of a series beside a linear map of it",
                         "Nie et al. 2023, arXiv:2211.14730; Lai et al. 2018, "
                         "arXiv:1703.07015",
                         sizes}},
           .roles = {MakeLinearPatchForecaster}},
          {.name = "patchtst",
           .variants = {{"", "patches of a series, each column by itself",
                         "Nie et al. 2023, arXiv:2211.14730", sizes}},
           .roles = {MakePatchForecaster}}};
}

}  // namespace heed
