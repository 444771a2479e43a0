#include "heed/tasks/translate/coverage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/ops/shape.h"

namespace heed::translate {
namespace {

constexpr int64_t kBatch = 2, kHeads = 3, kSteps = 4, kKeys = 5;
const std::vector<int32_t> kLengths = {4, 3};

/// Positive weights [B, H, T, S].
Tensor SomeWeights() {
  Tensor weights = RandomTensor({kBatch, kHeads, kSteps, kKeys}, 7);
  for (int64_t i = 0; i < weights.numel(); ++i) {
    double& w = weights.data<double>()[i];
    w *= w;
  }
  return weights;
}

/// One tensor for each step: [B, H, 1, S].
std::vector<Var> StepByStep(const Var& weights) {
  std::vector<Var> steps;
  for (int64_t t = 0; t < kSteps; ++t) {
    const Var rows = Reshape(weights, {kBatch * kHeads, kSteps * kKeys});
    steps.push_back(Reshape(Columns(rows, t * kKeys, (t + 1) * kKeys),
                            {kBatch, kHeads, 1, kKeys}));
  }
  return steps;
}

double Formula(const Tensor& weights, int64_t head) {
  double sum = 0;
  for (int64_t b = 0; b < kBatch; ++b) {
    for (int64_t s = 0; s < kKeys; ++s) {
      double covered = 0;
      for (int64_t t = 0; t < kLengths[static_cast<size_t>(b)]; ++t) {
        double a = 0;
        for (int64_t h = 0; h < kHeads; ++h) {
          const double w = weights[b][h].row<double>(t)[s];
          a += head < 0 ? w / kHeads : h == head ? w : 0;
        }
        sum += std::min(a, covered);
        covered += a;
      }
    }
  }
  return sum;
}

TEST(CoverageLoss, IsTheFormula) {
  const Tensor weights = SomeWeights();
  for (const int64_t head : {-1, 0, 2}) {
    const double expected = 0.5 * Formula(weights, head);
    EXPECT_GT(expected, 0.1);
    const Var whole[] = {weights};
    EXPECT_NEAR(CoverageLoss(whole, kLengths, head, 0.5).value().item(),
                expected, 1e-12);
    EXPECT_NEAR(
        CoverageLoss(StepByStep(weights), kLengths, head, 0.5).value().item(),
        expected, 1e-12);
  }
}

TEST(CoverageLoss, HasGradients) {
  ExpectGradientOf(
      [](std::span<const Var> in) {
        return CoverageLoss(StepByStep(in[0]), kLengths, -1, 0.5);
      },
      {SomeWeights()});
}

TEST(CoverageLoss, IsZeroForAttentionThatNeverReturns) {
  Tensor weights = Tensor::Zeros({1, 1, 3, 3});
  for (int64_t t = 0; t < 3; ++t) weights[0][0].row<float>(t)[t] = 1;
  const Var whole[] = {weights};
  const std::vector<int32_t> lengths = {3};
  EXPECT_EQ(CoverageLoss(whole, lengths, -1, 1).value().item(), 0);
}

}  // namespace
}  // namespace heed::translate
