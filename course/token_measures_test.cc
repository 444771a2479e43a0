#include "course/token_measures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "course/score_matrices.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

TEST(LearnUntil, EndsWhereTheGoalIsReached) {
  const TokenTask task = VerbTask();
  const TokenAttentionOptions layer = LayerFor(task, 32);
  const LearningRun easy = LearnUntil(
      task, layer, {.steps = 300, .schedule = Schedule::kConstant}, 0.5);
  ASSERT_TRUE(easy.steps.has_value());
  EXPECT_LT(*easy.steps, 300);
  EXPECT_EQ(*easy.steps % 5, 0);
  EXPECT_GE(easy.accuracy, 0.5);
  EXPECT_GT(easy.first_gradient, 0);
  const LearningRun short_one = LearnUntil(
      task, layer, {.steps = 3, .schedule = Schedule::kConstant}, 0.99);
  EXPECT_FALSE(short_one.steps.has_value());
  EXPECT_EQ(short_one.first_gradient, short_one.last_gradient);
}

TEST(Sharpness, RunsFromOneWordToAllWithTheTemperature) {
  const TokenTask task = DependenciesTask();
  const TokenLearner learner(task, LayerFor(task, 32), {});
  const TokenBatch test = learner.Test(20);
  double all = 0;
  for (const int32_t length : test.lengths.ToVector<int32_t>()) {
    all += length * length / 20.0;
  }
  double words = 0;
  for (const int32_t length : test.lengths.ToVector<int32_t>()) {
    words += length / 20.0;
  }
  const Sharpness hot = SharpnessOf(learner.model(), test, 1e6);
  EXPECT_NEAR(hot.words, all / words, 1e-3);  // one row per word
  const Sharpness cold = SharpnessOf(learner.model(), test, 1e-6);
  EXPECT_NEAR(cold.words, 1, 1e-3);
  EXPECT_NEAR(cold.largest, 1, 1e-3);
  const Sharpness usual = SharpnessOf(learner.model(), test, 1);
  EXPECT_GT(usual.entropy, cold.entropy);
  EXPECT_LT(usual.entropy, hot.entropy);
  EXPECT_EQ(usual.accuracy, ScoreTokens(learner.model(), test).accuracy);
}

TEST(HeadSimilarities, IsOneOfHeadsThatAreTheSame) {
  const TokenTask task = BackwardsTask();
  TokenAttentionOptions layer = LayerFor(task, 8);
  layer.spec.heads = 2;
  ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
  const TokenAttention model(set, layer);
  Rng rng(1);
  const TokenBatch test = task.draw(3, rng);
  const HeadSimilarities different = MeasureHeadSimilarity(model, test);
  EXPECT_LT(different.weights, 0.99);
  EXPECT_LT(std::abs(different.outputs), 0.9);
  for (const char* name : {"query", "key", "value"}) {
    Parameter& weight = *set.Find(std::string(name) + ".weight");
    for (int64_t i = 0; i < weight.value().dim(0); ++i) {
      float* row = weight.mutable_value().row<float>(i);
      std::copy_n(row, 4, row + 4);
    }
    weight.Changed();
  }
  Parameter& mixing = *set.Find("output.weight");
  mixing.mutable_value().Slice(4, 8).CopyFrom(mixing.value().Slice(0, 4));
  mixing.Changed();
  const HeadSimilarities same = MeasureHeadSimilarity(model, test);
  EXPECT_NEAR(same.weights, 1, 1e-6);
  EXPECT_NEAR(same.outputs, 1, 1e-6);
}

Tensor Square(const std::vector<double>& values) {
  return Tensor::Of(values, {2, 2});
}

TEST(MatrixFacts, OfMatricesByHand) {
  const std::vector<int32_t> tokens = {5, 6};
  const MatrixFacts symmetric = FactsOf(Square({3, 1, 1, 3}), tokens, {6, 6});
  EXPECT_DOUBLE_EQ(symmetric.symmetry, 1);
  EXPECT_DOUBLE_EQ(symmetric.diagonal, 6.0 / 8);
  EXPECT_DOUBLE_EQ(symmetric.own_weight, 1 / (1 + std::exp(-2.0)));
  EXPECT_DOUBLE_EQ(symmetric.right, 0.5);
  EXPECT_DOUBLE_EQ(FactsOf(Square({3, 1, -1, 3}), tokens, {5, 6}).symmetry, -1);
  EXPECT_DOUBLE_EQ(FactsOf(Square({3, 1, 0, 3}), tokens, {5, 6}).symmetry, 0);
  EXPECT_THROW(FactsOf(Square({3, 1, 0, 3}), {5}, {5, 6}), ShapeError);
}

TEST(ScoreMatrices, AreSymmetricWithoutProjectionsOnly) {
  const TokenTask task = DependenciesTask();
  TokenAttentionOptions layer = LayerFor(task, 64);
  const TokenLearner projected(task, layer, {});
  const TokenBatch test = projected.Test(5);
  const MeanFacts facts = MeanFactsOf(projected.model(), test);
  EXPECT_NEAR(facts.products.symmetry, 1, 1e-6);
  EXPECT_NEAR(facts.cosines.symmetry, 1, 1e-6);
  EXPECT_LT(facts.scores.symmetry, 0.8);
  layer.projections = false;
  const TokenLearner bare(task, layer, {});
  EXPECT_NEAR(MeanFactsOf(bare.model(), test).scores.symmetry, 1, 1e-6);
  const ScoreMatrices one = MatricesOf(bare.model(), test, 0);
  EXPECT_EQ(one.products.ToVector<double>(), one.scores.ToVector<double>());
  EXPECT_NEAR(one.cosines.row<double>(1)[1], 1, 1e-12);
}

}  // namespace
}  // namespace heed
