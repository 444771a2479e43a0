// Every model in every role that it claims: it walks over the registry, so
// that a model that is added is tested with its row.
#include "heed/models/roles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "heed/base/testing.h"
#include "heed/models/model_testing.h"
#include "heed/models/visit_classifier.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"

namespace heed {
namespace {

constexpr int kTokens = 9;
constexpr int64_t B = 2;
constexpr int64_t S = 4;
constexpr int64_t kFeatures = 5;

struct ModelName {
  std::string model;
  std::string variant;
};

void PrintTo(const ModelName& named, std::ostream* out) {
  *out << named.model << " " << named.variant;
}

/// All models that have the role.
template <typename Role>
std::vector<ModelName> VariantsIn() {
  std::vector<ModelName> all;
  for (const ModelRow& row : Models()) {
    if (SettingsIn<Role>(row) == nullptr) continue;
    for (const ModelVariant& variant : row.variants) {
      all.push_back({row.name, variant.name});
    }
  }
  return all;
}

/// Small enough to be differentiated number by number.
constexpr const char* kSmall[] = {"layers=1",
                                  "decoder_layers=1",
                                  "units=6",
                                  "embedding=6",
                                  "width=8",
                                  "ff=8",
                                  "heads=2",
                                  "max_positions=16",
                                  "dropout=0",
                                  "init_scale=0.5",
                                  "attention_dropout=0",
                                  "positions=8",
                                  "memory_slots=5",
                                  "memory_features=3"};

class EveryRole : public testing::TestWithParam<ModelName> {
 protected:
  /// Settings of a model that has the role.
  template <typename Role>
  std::unique_ptr<Role> Small() const {
    auto settings = SettingsIn<Role>(FindModel(GetParam().model));
    const std::vector<Field> fields = FieldsOf(*settings);
    for (const char* one : kSmall) SetPresetIfKnown(fields, one);
    if (!GetParam().variant.empty()) {
      SetPreset(fields, "variant=" + GetParam().variant);
    }
    return settings;
  }

  /// Filling in twice is filling in once, and nothing stays open.
  template <typename Fill>
  static void ExpectFilled(ModelSettings& settings, const Fill& fill) {
    const auto once = FieldsToJson(FieldsOf(settings));
    for (const auto& [key, value] : once.items()) {
      EXPECT_NE(value, "auto") << key;
    }
    fill();
    EXPECT_EQ(FieldsToJson(FieldsOf(settings)), once);
  }

  /// A step of every parameter's gradient lowers the loss.
  template <typename Loss>
  static void ExpectLearns(const ParameterSet& parameters, const Loss& loss) {
    ExpectParameterGradients(parameters, loss, 2);
    const double before = loss(nullptr).value().item();
    Adam adam(parameters);
    for (int step = 0; step < 5; ++step) {
      Tape tape;
      tape.Backward(loss(&tape));
      adam.Step(1e-3);
    }
    EXPECT_LT(loss(nullptr).value().item(), before);
  }

  static void ExpectDecodes(const Decoder& exact, Decoder& f32,
                            const SequenceBatch& batch) {
    ExpectGradients(exact, batch, 2);
    EXPECT_LT(StepDifference(exact, batch), 1e-12);
    const Tensor before = LogitsOf(f32, batch);
    f32.parameters().SetPrecision(kernels::Precision::kInt8);
    const Tensor after = LogitsOf(f32, batch);
    EXPECT_EQ(after.shape(), before.shape());
    EXPECT_LT(MaxDifference(before, after), 0.3);
  }
};

std::string NameOf(const testing::TestParamInfo<ModelName>& info) {
  std::string name = info.param.model + "_" + info.param.variant;
  std::ranges::replace(name, '-', '_');
  return name;
}

class EveryTranslator : public EveryRole {};
class EveryLanguageModel : public EveryRole {};
class EveryEncoder : public EveryRole {};
class EveryPretrained : public EveryRole {};
class EveryForecaster : public EveryRole {};
class EveryVisitClassifier : public EveryRole {};
class EveryMachine : public EveryRole {};

INSTANTIATE_TEST_SUITE_P(Registry, EveryTranslator,
                         testing::ValuesIn(VariantsIn<TranslatorSettings>()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Registry, EveryLanguageModel,
                         testing::ValuesIn(VariantsIn<LanguageModelSettings>()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Registry, EveryEncoder,
                         testing::ValuesIn(VariantsIn<EncoderSettings>()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Registry, EveryPretrained,
                         testing::ValuesIn(VariantsIn<PretrainingSettings>()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Registry, EveryForecaster,
                         testing::ValuesIn(VariantsIn<ForecastSettings>()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Registry, EveryVisitClassifier,
                         testing::ValuesIn(VariantsIn<VisitSettings>()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Registry, EveryMachine,
                         testing::ValuesIn(VariantsIn<MachineSettings>()),
                         NameOf);

TEST(Models, EachHasARoleThatIsTestedHere) {
  for (const ModelRow& row : Models()) {
    EXPECT_TRUE(SettingsIn<TranslatorSettings>(row) != nullptr ||
                SettingsIn<LanguageModelSettings>(row) != nullptr ||
                SettingsIn<EncoderSettings>(row) != nullptr ||
                SettingsIn<ForecastSettings>(row) != nullptr ||
                SettingsIn<VisitSettings>(row) != nullptr ||
                SettingsIn<MachineSettings>(row) != nullptr)
        << row.name;
  }
}

TEST_P(EveryTranslator, Translates) {
  const auto settings = Small<TranslatorSettings>();
  settings->Fill();
  ExpectFilled(*settings, [&] { settings->Fill(); });
  const SequenceBatch batch;
  const auto exact = settings->Make(kTokens, kTokens, 1, DType::kF64);
  const auto f32 = settings->Make(kTokens, kTokens, 1);
  ExpectDecodes(*exact, *f32, batch);
  EXPECT_EQ(exact->source_attentions().empty(), !settings->attends());
}

TEST_P(EveryLanguageModel, ContinuesText) {
  const auto settings = Small<LanguageModelSettings>();
  settings->Fill(static_cast<int>(S));
  ExpectFilled(*settings, [&] { settings->Fill(static_cast<int>(S)); });
  const SequenceBatch batch = SequenceBatch().WithoutSource();
  const auto exact = settings->Make(kTokens, 1, DType::kF64);
  const auto f32 = settings->Make(kTokens, 1);
  ExpectDecodes(*exact, *f32, batch);
}

TEST_P(EveryEncoder, EncodesVectors) {
  for (const bool causal : {false, true}) {
    const auto settings = Small<EncoderSettings>();
    const EncoderUse use = {causal, static_cast<int>(S)};
    settings->Fill(use);
    ExpectFilled(*settings, [&] { settings->Fill(use); });
    ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
    const auto encoder =
        settings->Make(Scope(parameters, "encoder"), kFeatures, causal);
    const Tensor x = RandomTensor({B, S, kFeatures}, 1);
    const Tensor w = RandomTensor({B, S, encoder->output_size()}, 2);
    ExpectLearns(parameters, [&](Tape* tape) {
      Context ctx;
      ctx.tape = tape;
      return Sum(Mul((*encoder)(ctx, x, Lengths({4, 2})), w));
    });
  }
}

TEST_P(EveryEncoder, EncodesText) {
  const auto settings = Small<EncoderSettings>();
  settings->Fill({});
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const auto encoder =
      settings->MakeText(Scope(parameters, "encoder"), kTokens, /*segments=*/2);
  const Tensor ids = RandomIds({B, S}, kTokens, 1);
  const Tensor segments = RandomIds({B, S}, 2, 3);
  const Tensor w = RandomTensor({B, S, encoder->output_size()}, 2);
  ExpectLearns(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return Sum(Mul((*encoder)(ctx, ids, Lengths({4, 2}), segments), w));
  });
}

TEST_P(EveryPretrained, IsPretrained) {
  const auto settings = Small<PretrainingSettings>();
  settings->Fill({});
  EXPECT_EQ(settings->segments(), 2) << "those of a pair";
  EXPECT_GE(settings->positions(), S);
  EXPECT_GT(FindModel(GetParam().model).fine_tuning_rate, 0);
  const auto model = settings->MakePretraining(kTokens, 1, DType::kF64);
  const BertText text = {RandomIds({B, S}, kTokens, 1), Lengths({4, 4}),
                         RandomIds({B, S}, 2, 3)};
  const BertTargets targets = {Lengths({1, 6}), Lengths({3, 4}),
                               Lengths({0, 1})};
  ExpectLearns(model->parameters(), [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return model->Loss(ctx, text, targets, {}).loss;
  });
}

TEST_P(EveryForecaster, Forecasts) {
  const auto settings = Small<ForecastSettings>();
  EXPECT_GT(settings->learning_rate(), 0);
  ForecasterConfig config = settings->forecaster();
  config.lookback = config.patch + 3 * config.patch_stride;
  config.horizon = 2;
  settings->Fill(static_cast<int>(config.steps()));
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  constexpr int64_t kColumns = 2;
  const Forecaster forecaster(
      Scope(parameters, ""), config, kColumns,
      settings->Make(Scope(parameters, "encoder"),
                     Forecaster::EncoderInputs(config, kColumns)));
  const Tensor windows = RandomTensor({B, config.lookback, kColumns}, 1);
  const Tensor targets = RandomTensor({B, config.horizon, kColumns}, 2);
  ExpectLearns(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return forecaster.Loss(ctx, windows, targets, 1);
  });
}

TEST_P(EveryVisitClassifier, ClassifiesVisits) {
  const auto settings = Small<VisitSettings>();
  settings->Fill();
  ExpectFilled(*settings, [&] { settings->Fill(); });
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const auto network = settings->Make(Scope(parameters, ""), /*codes=*/5);
  VisitBatch batch;
  batch.B = B;
  batch.S = 3;
  batch.lengths = Tensor::Of<int32_t>(std::vector<int32_t>{3, 2}, {B});
  batch.codes =
      std::make_shared<kernels::SparsePattern>(kernels::MakeSparsePattern(
          Tensor::Of<int32_t>(std::vector<int32_t>{0, 2, 3, 4, 5, 7, 7}, {7}),
          Tensor::Of<int32_t>(std::vector<int32_t>{1, 4, 2, 3, 0, 3, 1}, {7}),
          5));
  ExpectLearns(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    const Var logits = network->Logits(ctx, batch);
    EXPECT_EQ(logits.shape(), Shape({B}));
    return BinaryCrossEntropy(
        logits, Tensor::Of<double>(std::vector<double>{1, 0}, {B}), 1);
  });
  batch.codes = nullptr;
  EXPECT_THROW(network->Logits({}, batch), ShapeError);
}

TEST_P(EveryMachine, AnswersAtEveryStep) {
  constexpr MachineUse kUse = {"layers=1 units=6 read_heads=2 write_heads=2",
                               "layers=2 units=6 read_heads=2 write_heads=2",
                               "layers=2 units=6"};
  const auto settings = Small<MachineSettings>();
  settings->Fill(kUse);
  ExpectFilled(*settings, [&] { settings->Fill(kUse); });
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const auto machine =
      settings->Make(Scope(parameters, "machine"), kFeatures, /*outputs=*/3);
  const Tensor x = RandomTensor({S, B, kFeatures}, 1);
  const auto all = [&](const Context& ctx) {
    MachineState state = machine->Start(ctx, B);
    return machine->Run(ctx, x, state);
  };
  const Tensor whole = all({}).value();
  MachineState state = machine->Start({}, B);
  for (int64_t t = 0; t < S; ++t) {
    const Tensor step = machine->Run({}, x.Slice(t, t + 1), state).value();
    EXPECT_LT(MaxDifference(step[0], whole[t]), 1e-14) << "step " << t;
  }
  const Tensor w = RandomTensor({S, B, 3}, 2);
  ExpectLearns(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return Sum(Mul(all(ctx), w));
  });
}

/// A program's own model: a row, and a class that makes what it claims.
class AveragingEncoder : public SequenceEncoder {
 public:
  explicit AveragingEncoder(int64_t inputs) : inputs_(inputs) {}
  Var operator()(const Context&, const Var& x, const Tensor&) const override {
    return Scale(x, 0.5);
  }
  int64_t output_size() const override { return inputs_; }

 private:
  int64_t inputs_;
};

struct AveragingConfig {
  std::string precision = "f32";
  void Visit(FieldList& v) { v("precision", precision, "number format"); }
};

class Averaging
    : public SettingsOf<Averaging, EncoderSettings, AveragingConfig> {
 public:
  using SettingsOf::SettingsOf;
  void Fill(const EncoderUse&) override {}
  int64_t features() const override { return 4; }
  std::unique_ptr<SequenceEncoder> Make(const Scope&, int64_t inputs,
                                        bool) const override {
    return std::make_unique<AveragingEncoder>(inputs);
  }
};

TEST(AddModel, AProgramsOwnModelIsChosenLikeAnyOther) {
  AddModel({.name = "averaging",
            .variants = {{"", "half of what it reads", "nobody"}},
            .roles = {MakeRole<Averaging>}});
  ModelChoice<EncoderSettings> encoder;
  encoder.Choose("averaging");
  EXPECT_EQ(encoder->features(), 4);
  EXPECT_TRUE(HasRole<EncoderSettings>("averaging"));
  EXPECT_FALSE(HasRole<TranslatorSettings>("averaging"));
  EXPECT_EQ(MessageOf<ConfigError>([] {
              AddModel({.name = "averaging", .variants = {}, .roles = {}});
            }),
            "there is a model 'averaging' already");
}

}  // namespace
}  // namespace heed
