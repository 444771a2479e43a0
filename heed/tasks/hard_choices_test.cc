#include "heed/tasks/hard_choices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/io/file.h"
#include "heed/models/preset.h"
#include "heed/models/registry.h"
#include "heed/ops/loss.h"
#include "heed/tasks/translate/testing.h"
#include "heed/train/model_folder.h"

namespace heed {
namespace {

constexpr int32_t kEnd = -1;

std::unique_ptr<Decoder> ChoosingDecoder(const char* preset) {
  ModelChoice<TranslatorSettings> model;
  model.Choose("bahdanau");
  SetPreset(FieldsOf(*model), preset);
  model->Fill();
  return model->Make(6, 5, 3, DType::kF64);
}

DecoderExamples SomeExamples() {
  const Tensor source = Tensor::Of<int32_t>({1, 2, 3, 4, 5, 1, 2, 3}, {4, 2});
  const Tensor lengths = Tensor::Of<int32_t>({4, 3}, {2});
  return {Inputs(source, lengths),
          Tensor::Of<int32_t>({1, 1, 2, 3, 4, 0}, {3, 2}),
          Tensor::Of<int32_t>({2, 3, 4, 2, 2, kEnd}, {3, 2}), kEnd};
}

/// Loss, and the gradients of all parameters one after the other.
struct Taught {
  BatchLoss loss;
  std::vector<double> scores;  // gradients of the attention's parameters
};

Taught Teach(const HardChoices& choices, Decoder& model, uint64_t seed,
             const DecoderExamples& examples = SomeExamples()) {
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  ctx.training = true;
  Rng rng(seed);
  ctx.rng = &rng;
  Taught taught{choices.Loss(model, ctx, examples, {}), {}};
  tape.Backward(taught.loss.loss);
  for (const auto& parameter : model.parameters().all()) {
    if (parameter->name().starts_with("decoder.attention") &&
        parameter->gradient().defined()) {
      const auto own = parameter->gradient().ToVector<double>();
      taught.scores.insert(taught.scores.end(), own.begin(), own.end());
    }
    parameter->ClearGradient();
  }
  return taught;
}

constexpr const char* kSmall = "embedding=4 units=5 dropout=0 normalizer=hard";

TEST(HardChoices, OnlyRewardsReachTheScores) {
  const auto model = ChoosingDecoder(kSmall);
  EXPECT_TRUE(model->hard_choices());
  const auto largest = [&](double reward, double entropy) {
    const HardChoices choices(
        {.reward = reward, .entropy = entropy, .soft = 0});
    double value = 0;
    for (const double g : Teach(choices, *model, 5).scores) {
      value = std::max(value, std::abs(g));
    }
    return value;
  };
  EXPECT_EQ(largest(0, 0), 0);
  EXPECT_GT(largest(1, 0), 1e-6);
  EXPECT_GT(largest(0, 1), 1e-8);
}

TEST(HardChoices, AChoiceIsRewardedByTheTokensFromItsStepOn) {
  const auto model = ChoosingDecoder(kSmall);
  const HardChoices choices({.reward = 1, .entropy = 0, .soft = 0});
  const auto taught = [&](int32_t first, int32_t second) {
    return Teach(choices, *model, 5,
                 {Inputs(Tensor::Of<int32_t>({1, 4, 3}, {3, 1}),
                         Tensor::Of<int32_t>({3}, {1})),
                  Tensor::Of<int32_t>({1, 2}, {2, 1}),
                  Tensor::Of<int32_t>({first, second}, {2, 1}), kEnd});
  };
  // With r_t = log p(y_t) and g_t = ∂ log p(s_t), the gradients are −r_0 g_0 of
  // the first token alone, −r_1 g_1 of the second, and of both
  // −(r_0 + r_1) g_0 − r_1 g_1.
  const Taught both = taught(2, 3), one = taught(2, kEnd),
               other = taught(kEnd, 3);
  ASSERT_EQ(both.scores.size(), one.scores.size());
  double largest = 0;
  for (size_t i = 0; i < both.scores.size(); ++i) {
    EXPECT_NEAR(At(both.scores, i),
                (1 + other.loss.nll / one.loss.nll) * At(one.scores, i) +
                    At(other.scores, i),
                1e-12);
    largest = std::max(largest, std::abs(At(one.scores, i)));
  }
  EXPECT_GT(largest, 1e-6);
}

TEST(HardChoices, ABaselineMovesWithTheRewards) {
  const auto model = ChoosingDecoder(kSmall);
  HardChoices choices({.soft = 0, .baseline_decay = 0.5});
  EXPECT_EQ(choices.baseline(), 0);
  const Taught first = Teach(choices, *model, 5);
  double reward = 0, tokens = 0;
  for (const auto& [name, value] : first.loss.parts) {
    (name == "reward" ? reward : tokens) = value;
  }
  EXPECT_EQ(tokens, 5);
  EXPECT_LT(reward, 0);
  // For the same batch, the reward is the negative of the summed loss.
  EXPECT_NEAR(reward, -first.loss.nll, 1e-9);
  choices.Updated(first.loss.parts);
  EXPECT_NEAR(choices.baseline(), 0.5 * reward / 5, 1e-12);
  // The baseline changes the loss of equal choices, and State keeps it.
  const double moved = Teach(choices, *model, 5).loss.loss.value().item();
  EXPECT_NE(moved, first.loss.loss.value().item());
  HardChoices restored({.soft = 0, .baseline_decay = 0.5});
  restored.Restore(choices.State());
  EXPECT_EQ(restored.baseline(), choices.baseline());
  EXPECT_EQ(Teach(restored, *model, 5).loss.loss.value().item(), moved);
}

TEST(HardChoices, TheMeanOfManyGradientsIsThatOfTheExpectedReward) {
  // A single decision has an expected reward that can be differentiated: Σ_s
  // p(s) R(s), where R(s) is measured by forcing each key in turn.
  const auto model = ChoosingDecoder(kSmall);
  const DecoderExamples one = {Inputs(Tensor::Of<int32_t>({1, 4, 3}, {3, 1}),
                                      Tensor::Of<int32_t>({3}, {1})),
                               Tensor::Of<int32_t>({1}, {1, 1}),
                               Tensor::Of<int32_t>({2}, {1, 1}), kEnd};
  const HardChoices choices({.reward = 1, .entropy = 0, .soft = 0});
  constexpr int kDraws = 6000;
  std::vector<double> mean;
  double reward_of_mean = 0;
  for (int i = 0; i < kDraws; ++i) {
    Tape tape;
    Context ctx;
    ctx.tape = &tape;
    ctx.training = true;
    Rng rng(static_cast<uint64_t>(i));
    ctx.rng = &rng;
    const BatchLoss loss = choices.Loss(*model, ctx, one, {});
    tape.Backward(loss.loss);
    reward_of_mean -= loss.nll / kDraws;
    const auto own = model->parameters()
                         .Find("decoder.attention.score.weight")
                         ->gradient()
                         .ToVector<double>();
    mean.resize(own.size());
    for (size_t j = 0; j < own.size(); ++j) mean[j] += own[j] / kDraws;
    for (const auto& p : model->parameters().all()) p->ClearGradient();
  }
  // Finite differences of the mean reward would be too noisy. Instead, a step
  // along the gradient must raise the reward.
  double squares = 0;
  for (const double g : mean) squares += g * g;
  ASSERT_GT(squares, 1e-8);
  Parameter& v = *model->parameters().Find("decoder.attention.score.weight");
  for (size_t j = 0; j < mean.size(); ++j) {
    v.mutable_value().data<double>()[j] -= mean[j] / std::sqrt(squares);
  }
  v.Changed();
  double after = 0;
  for (int i = 0; i < kDraws; ++i) {
    Context ctx;
    ctx.training = true;
    Rng rng(static_cast<uint64_t>(i) + 100000);
    ctx.rng = &rng;
    after -= choices.Loss(*model, ctx, one, {}).nll / kDraws;
  }
  EXPECT_GT(after, reward_of_mean);
}

TEST(HardChoices, ByTheExpectationScoresLearnDirectly) {
  const auto model = ChoosingDecoder(kSmall);
  const HardChoices choices({.reward = 0, .entropy = 0, .soft = 1});
  const Taught taught = Teach(choices, *model, 5);
  EXPECT_TRUE(taught.loss.parts.empty());
  double largest = 0;
  for (const double g : taught.scores) {
    largest = std::max(largest, std::abs(g));
  }
  EXPECT_GT(largest, 1e-6);
}

class HardTraining : public testing::Test {
 protected:
  translate::Config Config(const std::string& out, int epochs) const {
    translate::Config config = translate::TinyConfig(folder_.Path(out));
    config.model.As<RecurrentConfig>().normalizer = "hard";
    config.data.train.source = {folder_.Put("s", AsLines(train_.source))};
    config.data.train.target = {folder_.Put("t", AsLines(train_.target))};
    config.data.valid.source = {folder_.Put("vs", AsLines(valid_.source))};
    config.data.valid.target = {folder_.Put("vt", AsLines(valid_.target))};
    config.run.epochs = epochs;
    return config;
  }

  TemporaryFolder folder_;
  ParallelText train_ = ReversedLetters(400, 1);
  ParallelText valid_ = ReversedLetters(60, 2);
};

TEST_F(HardTraining, LearnsToReverseLetters) {
  translate::Config config = Config("m", 30);
  config.model.As<RecurrentConfig>().dropout = 0;
  config.run.metric = "exact_match";
  const TrainResult result = translate::TrainTranslation(config);
  EXPECT_GE(result.best, 95);
}

TEST_F(HardTraining, AnInterruptedRunHasTheSameBits) {
  translate::TrainTranslation(Config("whole", 2));
  translate::Config stopped = Config("stopped", 2);
  stopped.run.steps = 30;
  translate::TrainTranslation(stopped);
  ModelDescription description = ReadModelConfig(folder_.Path("stopped"));
  description.settings["steps"] = 0;
  WriteModelConfig(folder_.Path("stopped"), description);
  Resume(folder_.Path("stopped"), true);
  for (const char* file : {"model.safetensors", "training.safetensors"}) {
    EXPECT_TRUE(ReadFile(folder_.Path("whole/" + std::string(file))) ==
                ReadFile(folder_.Path("stopped/" + std::string(file))))
        << file;
  }
}

}  // namespace
}  // namespace heed
