#include "course/hard_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "course/gradient_variance.h"
#include "course/parameter_line.h"
#include "heed/ops/normalizers.h"

namespace heed {
namespace {

TEST(HardChoice, TheAnswerIsTheValueOfTheItemOfTheKey) {
  const ChoiceBatch batch = MakeChoices(200, 1);
  std::set<int32_t> lengths;
  for (int64_t b = 0; b < 200; ++b) {
    const int32_t items = batch.lengths.data<int32_t>()[b];
    lengths.insert(items);
    int found = 0;
    for (int32_t s = 0; s < items; ++s) {
      if (batch.keys.row<int32_t>(b)[s] != batch.query.data<int32_t>()[b]) {
        continue;
      }
      ++found;
      EXPECT_EQ(batch.values.row<int32_t>(b)[s],
                batch.answers.data<int32_t>()[b]);
    }
    EXPECT_EQ(found, 1);
  }
  EXPECT_EQ(*lengths.begin(), 2);
  EXPECT_EQ(*lengths.rbegin(), 12);
}

TEST(HardChoice, NoWeightOnItemsThatAreNotThere) {
  const ChoiceBatch batch = MakeChoices(20, 2);
  const ChoiceModel model(1);
  const Tensor weights = Softmax(model.Scores({}, batch)).value();
  for (int64_t b = 0; b < 20; ++b) {
    const float* row = weights.data<float>() + b * weights.dim(2);
    for (int64_t s = batch.lengths.data<int32_t>()[b]; s < weights.dim(2);
         ++s) {
      EXPECT_EQ(row[s], 0);
    }
  }
}

/// Returns the mean gradient of the scores over samples of one question.
std::vector<double> MeanGradient(ChoiceModel& model, const ChoiceBatch& batch,
                                 ChoiceMethod method, double moving) {
  constexpr int kDraws = 8000;
  std::vector<double> mean;
  for (int i = 0; i < kDraws; ++i) {
    Rng chances(3, static_cast<uint64_t>(i) << 20);
    Tape tape;
    double reward = 0;
    tape.Backward(
        ChoiceLoss(model, batch, method, 1, moving, &chances, &tape, &reward));
    const std::vector<double> own =
        TakeGradient(model.parameters(), ChoiceModel::MovesScores);
    mean.resize(own.size());
    for (size_t j = 0; j < own.size(); ++j) mean[j] += own[j] / kDraws;
  }
  return mean;
}

TEST(HardChoice, ABaselineKeepsTheMeanGradient) {
  ChoiceModel model(1);
  const ChoiceBatch batch = MakeChoices(1, 4);
  const std::vector<double> without =
      MeanGradient(model, batch, ChoiceMethod::kNoBaseline, 0);
  const std::vector<double> with =
      MeanGradient(model, batch, ChoiceMethod::kMovingBaseline, -2);
  double difference = 0, size = 0;
  for (size_t j = 0; j < without.size(); ++j) {
    difference += (without[j] - with[j]) * (without[j] - with[j]);
    size += without[j] * without[j];
  }
  EXPECT_GT(size, 0);
  EXPECT_LT(std::sqrt(difference / size), 0.4);
}

TEST(HardChoice, EveryWayLearnsAndBaselinesLowerTheVariance) {
  for (size_t m = 0; m < kChoiceMethods; ++m) {
    ChoiceModel model(5);
    const ChoiceRun run = TrainChoice(model, static_cast<ChoiceMethod>(m),
                                      {.steps = 500, .draws = 60, .seed = 5});
    ASSERT_TRUE(run.enough_at.has_value());
    EXPECT_GT(run.accuracy.back(), 95);
    if (static_cast<ChoiceMethod>(m) == ChoiceMethod::kLearnedBaseline) {
      EXPECT_LT(run.variances[1], run.variances[0] / 2);
      EXPECT_LT(run.variances[2], run.variances[0] / 2);
    }
  }
}

TEST(HardChoice, TheArgmaxJumpsTheSoftmaxDoesNotAndGumbelDoesAsItCools) {
  ChoiceModel model(2);
  const std::vector<Tensor> before = ParametersOf(model.parameters());
  TrainChoice(model, ChoiceMethod::kSoft, {.steps = 150, .seed = 2});
  const std::vector<Tensor> after = ParametersOf(model.parameters());
  const ChoiceSlice slice = SliceOfChoices(
      model, before, after, MakeChoices(6, 3), {1, 0.02}, 41, 20, 4);
  ASSERT_EQ(slice.theta.size(), 41u);
  EXPECT_DOUBLE_EQ(slice.theta.front(), -0.5);
  EXPECT_DOUBLE_EQ(slice.theta.back(), 1.5);
  EXPECT_GT(LargestJump(slice.argmax), 2 * LargestJump(slice.soft));
  EXPECT_LT(LargestJump(slice.gumbel[0]), LargestJump(slice.argmax));
  EXPECT_GT(LargestJump(slice.gumbel[1]), LargestJump(slice.gumbel[0]));
  // The model keeps its trained parameters.
  const std::vector<Tensor> left = ParametersOf(model.parameters());
  for (size_t p = 0; p < after.size(); ++p) {
    EXPECT_EQ(left[p].ToVector<float>(), after[p].ToVector<float>());
  }
}

TEST(GradientVariance, IsThatOfEachElementAddedUp) {
  GradientVariance variance;
  variance.Add({1, 0});
  variance.Add({3, 0});
  variance.Add({5, 3});
  EXPECT_DOUBLE_EQ(variance.Total(), 4 + 3);
}

TEST(ParameterLine, GoesFromOneStateToTheOther) {
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  Parameter& p = set.Add("p", {2}, {Init::Kind::kConstant, 1});
  const std::vector<Tensor> from = ParametersOf(set);
  p.mutable_value().Fill(3);
  const std::vector<Tensor> to = ParametersOf(set);
  PutBetween(set, from, to, 0.25);
  EXPECT_EQ(p.value().ToVector<double>(), (std::vector<double>{1.5, 1.5}));
  PutBetween(set, from, to, 2);
  EXPECT_EQ(p.value().ToVector<double>(), (std::vector<double>{5, 5}));
}

}  // namespace
}  // namespace heed
