// Tests of every model in each of its roles. They iterate over the registry, so
// a new row is tested automatically.
#include "heed/models/roles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "heed/base/testing.h"
#include "heed/models/roles_testing.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"

namespace heed::roles_test {
namespace {

constexpr int kTokens = 9;
constexpr int64_t B = 2;
constexpr int64_t S = 4;
constexpr int64_t kFeatures = 5;

void ExpectDecodes(const Decoder& exact, Decoder& f32,
                   const SequenceBatch& batch) {
  ExpectGradients(exact, batch, 2);
  EXPECT_LT(StepDifference(exact, batch), 1e-12);
  const Tensor before = LogitsOf(f32, batch);
  f32.parameters().SetPrecision(kernels::Precision::kInt8);
  const Tensor after = LogitsOf(f32, batch);
  EXPECT_EQ(after.shape(), before.shape());
  EXPECT_LT(MaxDifference(before, after), 0.3);
}

class EveryTranslator : public EveryRole {};
class EveryLanguageModel : public EveryRole {};
class EveryEncoder : public EveryRole {};
class EveryPretrained : public EveryRole {};
class EveryForecaster : public EveryRole {};

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

TEST(Models, EachHasARoleThatIsTested) {
  for (const ModelRow& row : Models()) {
    EXPECT_TRUE(std::ranges::any_of(TestedRoles(), [&row](RoleCheck has_role) {
      return has_role(row);
    })) << row.name;
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
  ExpectOutlined(exact->Outline());
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
  ExpectOutlined(exact->Outline());
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
  const auto encoder = settings->MakeText(
      Scope(parameters, "encoder"), {.vocabulary = kTokens, .segments = 2});
  const Tensor ids = RandomIds({B, S}, kTokens, 1);
  const Tensor segments = RandomIds({B, S}, 2, 3);
  const Tensor w = RandomTensor({B, S, encoder->output_size()}, 2);
  ExpectLearns(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return Sum(Mul((*encoder)(ctx, {ids, Lengths({4, 2}), segments}), w));
  });
}

TEST_P(EveryPretrained, IsPretrained) {
  const auto settings = Small<PretrainingSettings>();
  settings->Fill({});
  EXPECT_EQ(settings->segments(), 2) << "those of a pair";
  EXPECT_GE(settings->positions(), S);
  EXPECT_GT(FindModel(GetParam().model).fine_tuning_rate, 0);
  const auto model = settings->MakePretraining(kTokens, 1, DType::kF64);
  ExpectOutlined(model->Outline());
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
  ExpectOutlined(forecaster.Outline());
  const Tensor windows = RandomTensor({B, config.lookback, kColumns}, 1);
  const Tensor targets = RandomTensor({B, config.horizon, kColumns}, 2);
  ExpectLearns(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return forecaster.Loss(ctx, windows, targets, 1);
  });
}

/// User-defined model: a registry row and its class.
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
}  // namespace heed::roles_test
