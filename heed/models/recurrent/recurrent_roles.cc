#include <utility>

#include "heed/base/errors.h"
#include "heed/models/recurrent/encoder_decoder.h"
#include "heed/models/recurrent/recurrent_language_model.h"
#include "heed/models/recurrent/rnn_encoder.h"
#include "heed/models/registry.h"

namespace heed {
namespace {

/// Recurrent encoder with these settings and `embedding` embedding features.
EncoderPart RecurrentPart(RnnConfig config, int embedding);

class RecurrentTranslator
    : public SettingsOf<RecurrentTranslator, TranslatorSettings,
                        RecurrentConfig> {
 public:
  explicit RecurrentTranslator(std::string model)
      : SettingsOf(std::move(model)) {
    config_.model = model_;
  }

  void Fill() override {
    config_.model = model_;
    config_.Fill();
    (void)config_.Resolve();
  }
  bool attends() const override { return config_.attends(); }
  EncoderPart Encoder() const override {
    if (config_.reverse_source == YesNo::kYes) {
      throw ConfigError(
          "its encoder reads sources backwards, as no encoder of its own does; "
          "train it with --reverse-source no");
    }
    RnnConfig reader;
    static_cast<RecurrentNumbers&>(reader) = config_;
    reader.cell = config_.cell.value();
    reader.units = config_.encoder_units;
    reader.layers = config_.layers;
    reader.bidirectional = config_.bidirectional;
    reader.self_attention = AttendedStates::kNone;
    reader.Fill(/*causal=*/false);
    return RecurrentPart(std::move(reader), config_.embedding);
  }
  std::unique_ptr<Decoder> Make(int source_vocabulary, int target_vocabulary,
                                uint64_t seed, DType dtype) const override {
    return std::make_unique<EncoderDecoder>(
        config_.Resolve(), source_vocabulary, target_vocabulary, seed, dtype);
  }
};

class RnnEncoding : public SettingsOf<RnnEncoding, EncoderSettings, RnnConfig> {
 public:
  using SettingsOf::SettingsOf;

  void Fill(const EncoderUse& use) override {
    config_.Fill(use.causal);
    (void)config_.Resolve(use.causal);
  }
  int64_t features() const override { return config_.units; }
  std::unique_ptr<SequenceEncoder> Make(const Scope& scope, int64_t inputs,
                                        bool causal) const override {
    return std::make_unique<RnnEncoder>(scope, config_.Resolve(causal), inputs);
  }
};

/// Recurrent text encoder with embeddings of a separate size.
class RnnTextEncoding : public RnnEncoding {
 public:
  using RnnEncoding::RnnEncoding;
  RnnTextEncoding(const std::string& model, RnnConfig config, int embedding)
      : RnnEncoding(model), embedding_(embedding) {
    config_ = std::move(config);
  }

  std::unique_ptr<ModelSettings> Clone() const override {
    return std::make_unique<RnnTextEncoding>(*this);
  }
  void Visit(FieldList& v) override {
    v.Section("Recurrence");
    v("token_features", embedding_, Range(0, 16384),
      "features of a token embedding, for models that read tokens; 0: as "
      "units");
    RnnEncoding::Visit(v);
  }
  int64_t features() const override {
    return embedding_ > 0 ? embedding_ : RnnEncoding::features();
  }

 private:
  int embedding_ = 0;
};

EncoderPart RecurrentPart(RnnConfig config, int embedding) {
  return {
      "rnn",
      std::make_unique<RnnTextEncoding>("rnn", std::move(config), embedding),
      {{"encoder.", "encoder."}}};
}

class RnnLanguageModel
    : public SettingsOf<RnnLanguageModel, LanguageModelSettings,
                        RecurrentLanguageConfig> {
 public:
  using SettingsOf::SettingsOf;

  void Fill(int /*length*/) override {
    config_.Fill();
    (void)config_.Resolve();
  }
  EncoderPart Encoder() const override {
    EncoderPart part = RecurrentPart(config_.rnn, config_.embedding);
    part.parameters.emplace_back("embedding.", "encoder.embedding.");
    return part;
  }
  std::unique_ptr<Decoder> Make(int vocabulary, uint64_t seed,
                                DType dtype) const override {
    return std::make_unique<RecurrentLanguageModel>(config_.Resolve(),
                                                    vocabulary, seed, dtype);
  }
};

std::unique_ptr<ModelSettings> MakeForecaster(const std::string& model) {
  return std::make_unique<ForecastSettings>(
      std::make_unique<RnnEncoding>(model),
      ForecastUse{"units=64 dropout=0.2",
                  "lookback=96 patch=1 patch_stride=1 independent_columns=no "
                  "forecast_from=last",
                  /*causal=*/true, 1e-3});
}

}  // namespace

std::vector<ModelRow> RecurrentModels() {
  const std::vector<ModelRow::MakeRole> roles = {MakeRole<RecurrentTranslator>};
  const std::string bench = "embedding=512 units=512 dropout=0";
  return {
      {.name = "fixed",
       .variants =
           {{"cho", "the last state alone carries the source, at every step",
             "Cho et al. 2014, arXiv:1406.1078",
             "cell=gru_cho layers=1 bidirectional=no reverse_source=no "
             "bridge=project attention=none score=additive input_feeding=no "
             "readout=maxout readout_state=cur"},
            {"sutskever",
             "the last states start the decoder; the source is read backwards",
             "Sutskever et al. 2014, arXiv:1409.3215",
             "cell=lstm layers=2 bidirectional=no reverse_source=yes "
             "bridge=copy attention=none score=additive input_feeding=no "
             "readout=none readout_state=cur"}},
       .roles = roles,
       .bench = bench},
      {.name = "bahdanau",
       .variants =
           {{"rnnsearch",
             "bidirectional; attention between two steps of the decoder",
             "Bahdanau et al. 2014, arXiv:1409.0473",
             "cell=gru_bahdanau layers=1 bidirectional=yes reverse_source=no "
             "bridge=project attention=before score=additive input_feeding=no "
             "readout=maxout readout_state=prev"},
            {"cgru",
             "conditional GRU: attention between two halves of a step",
             "Sennrich et al. 2017, arXiv:1703.04357",
             "cell=gru layers=1 bidirectional=yes reverse_source=no "
             "bridge=project attention=between score=additive input_feeding=no "
             "readout=tanh readout_state=cur",
             {"marian/s2s", "marian/amun"}}},
       .roles = roles,
       .usual = true,
       .bench = bench + " cell=gru readout=tanh readout_state=cur"},
      {.name = "luong",
       .variants = {{"global",
                     "unidirectional; attention after the step, fed back",
                     "Luong et al. 2015, arXiv:1508.04025",
                     "cell=lstm layers=2 bidirectional=no reverse_source=yes "
                     "bridge=copy attention=after score=general "
                     "input_feeding=yes readout=none readout_state=cur"}},
       .roles = roles,
       .bench = bench},
  };
}

std::vector<ModelRow> RnnModels() {
  return {{.name = "rnn",
           .variants = {{"", "recurrent, with attention over its own states",
                         "Schuster and Paliwal 1997"}},
           .roles = {MakeRole<RnnTextEncoding>, MakeRole<RnnLanguageModel>,
                     MakeForecaster}}};
}

}  // namespace heed
