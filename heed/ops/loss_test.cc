#include "heed/ops/loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/testing.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/rowwise.h"
#include "heed/ops/elementwise.h"

namespace heed::loss_test {
namespace {

using kernels::At;

double LogSumExp(const Tensor& x, int64_t r) {
  double sum = 0;
  for (int64_t c = 0; c < x.cols(); ++c) sum += std::exp(At(x, r, c));
  return std::log(sum);
}

Tensor Softmax(const Tensor& x) { return kernels::Exp(kernels::LogSoftmax(x)); }

TEST(LogSoftmax, IsTheFormula) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    const Tensor x = RandomTensor({4, 9}, 1, dtype);
    kernels::ExpectEach(LogSoftmax(x).value(), 1e-6, [&](int64_t r, int64_t c) {
      return At(x, r, c) - LogSumExp(x, r);
    });
  }
}

TEST(CrossEntropy, IsTheFormula) {
  constexpr double kSmoothing = 0.1;
  constexpr int32_t kIgnored = 3;
  const Tensor x = RandomTensor({2, 3, 7}, 1);
  const Tensor targets = Ids({0, 6, kIgnored, 2, kIgnored, 1}, {2, 3});
  double nll = 0;
  double smoothed = 0;
  for (int64_t r = 0; r < 6; ++r) {
    const int32_t target = targets.data<int32_t>()[r];
    if (target == kIgnored) continue;
    const double log_sum = LogSumExp(x, r);
    nll += log_sum - At(x, r, target);
    smoothed += (1 - kSmoothing) * (log_sum - At(x, r, target));
    for (int64_t c = 0; c < 7; ++c) {
      smoothed += kSmoothing / 7 * (log_sum - At(x, r, c));
    }
  }
  const CrossEntropyLoss loss =
      CrossEntropy(x, targets, {kIgnored, kSmoothing, 0.25});
  EXPECT_NEAR(loss.loss.value().item(), 0.25 * smoothed, 1e-13);
  EXPECT_NEAR(loss.nll, nll, 1e-13);
  EXPECT_EQ(loss.tokens, 4);
  EXPECT_EQ(loss.loss.shape().rank(), 0);
}

TEST(CrossEntropy, CountsRowsWhoseGreatestLogitIsTheTargets) {
  Tensor x = Tensor::Zeros({3, 4}, DType::kF64);
  x.row<double>(0)[2] = 1;
  x.row<double>(1)[2] = 1;
  x.row<double>(2)[0] = 1;
  EXPECT_EQ(CrossEntropy(x, Ids({2, 1, 0}, {3}), {}).correct, 2);
}

TEST(CrossEntropy, WithoutATapeLeavesTheLogits) {
  const Tensor x = RandomTensor({3, 4}, 1);
  const Tensor before = x.Clone();
  CrossEntropy(x, Ids({2, 1, 0}, {3}), {});
  EXPECT_EQ(MaxDifference(x, before), 0);
}

TEST(CrossEntropy, LeavesLogitsThatSomeoneElseHolds) {
  Tape tape;
  const Var x = tape.Leaf(RandomTensor({3, 4}, 1));
  const Var logits = Scale(x, 2);
  const Tensor before = logits.value().Clone();
  tape.Backward(CrossEntropy(logits, Ids({2, 1, 0}, {3}), {}).loss);
  EXPECT_EQ(MaxDifference(logits.value(), before), 0);
  EXPECT_TRUE(tape.Gradient(x).defined());
}

TEST(CrossEntropy, OfHugeLogitsIsFinite) {
  Tensor x = Tensor::Zeros({1, 3});
  x.row<float>(0)[0] = 3e38F;
  x.row<float>(0)[1] = -3e38F;
  const CrossEntropyLoss loss = CrossEntropy(x, Ids({0}, {1}), {});
  EXPECT_EQ(loss.nll, 0);
}

TEST(CrossEntropy, OfNoRowsIsZero) {
  const CrossEntropyLoss loss =
      CrossEntropy(Tensor::Zeros({2, 3}), Ids({-1, -1}, {2}), {});
  EXPECT_EQ(loss.loss.value().item(), 0);
  EXPECT_EQ(loss.tokens, 0);
}

TEST(BinaryCrossEntropy, IsTheFormula) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    const Tensor x = RandomTensor({2, 3}, 1, dtype);
    Tensor targets =
        Tensor::Of(std::vector<double>{0, 1, 1, 0, 0.25, 1}, {2, 3});
    double expected = 0;
    for (int64_t i = 0; i < 6; ++i) {
      const double p = 1 / (1 + std::exp(-At(x, i / 3, i % 3)));
      const double t = targets.data<double>()[i];
      expected -= t * std::log(p) + (1 - t) * std::log(1 - p);
    }
    const Var loss = BinaryCrossEntropy(x, targets.To(dtype), 0.5);
    EXPECT_NEAR(loss.value().item(), 0.5 * expected, 1e-6);
    EXPECT_EQ(loss.shape().rank(), 0);
  }
}

TEST(BinaryCrossEntropy, OfHugeLogitsIsFinite) {
  const Tensor x = Tensor::Of(std::vector<float>{1e4F, -1e4F, 1e4F}, {3});
  const Tensor targets = Tensor::Of(std::vector<float>{1, 0, 0}, {3});
  EXPECT_EQ(BinaryCrossEntropy(x, targets, 1).value().item(), 1e4);
}

TEST(AbsoluteAndHuberLoss, AreTheFormulas) {
  const std::vector<double> errors = {-3, -0.5, 0, 0.25, 0.5, 2};
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    const Tensor targets = RandomTensor({2, 3}, 1, dtype);
    const Tensor y = Add(targets, Tensor::Of(errors, {2, 3}).To(dtype)).value();
    double absolute = 0, huber = 0, squares = 0;
    for (const double e : errors) {
      absolute += std::abs(e);
      squares += e * e;
      huber += std::abs(e) <= 0.5 ? e * e : 0.5 * (2 * std::abs(e) - 0.5);
    }
    EXPECT_NEAR(AbsoluteLoss(y, targets, 0.5).value().item(), 0.5 * absolute,
                1e-6);
    EXPECT_NEAR(HuberLoss(y, targets, 0.5, 2).value().item(), 2 * huber, 2e-6);
    EXPECT_NEAR(HuberLoss(y, targets, 1e9, 2).value().item(), 2 * squares,
                1e-5);
    EXPECT_EQ(HuberLoss(y, targets, 0.5, 2).shape().rank(), 0);
  }
}

TEST(AbsoluteAndHuberLoss, RefuseTargetsThatDoNotFit) {
  const Tensor y = Tensor::Zeros({2, 3});
  ExpectShapeError([&] { AbsoluteLoss(y, Tensor::Zeros({3}), 1); },
                   {"absolute loss", "[2, 3]", "[3]"});
  ExpectShapeError([&] { HuberLoss(y, Tensor::Zeros({3}), 1, 1); },
                   {"huber loss", "[2, 3]", "[3]"});
}

TEST(BinaryCrossEntropy, RefusesTargetsThatDoNotFit) {
  ExpectShapeError(
      [] {
        BinaryCrossEntropy(Tensor::Zeros({2, 3}), Tensor::Zeros({3}), 1);
      },
      {"binary cross entropy", "[2, 3]", "[3]"});
}

TEST(CrossEntropy, RefusesTargetsThatDoNotFit) {
  const Tensor x = Tensor::Zeros({2, 3});
  ExpectShapeError(
      [&] {
        CrossEntropy(x, Ids({0, 1, 2}, {3}), {});
      },
      {"cross entropy", "[2, 3]", "[3]"});
  ExpectShapeError(
      [&] {
        CrossEntropy(x, Ids({0, 3}, {2}), {});
      },
      {"cross entropy", "target 3", "3 classes"});
  ExpectShapeError(
      [&] {
        CrossEntropy(x, Ids({0, -2}, {2}), {});
      },
      {"cross entropy", "target -2"});
}

TEST(AlignmentCrossEntropy, IsTheFormulaForOneHeadAndForTheMean) {
  // Two sentences, two heads, two steps, three source tokens.
  const Tensor weights = Softmax(RandomTensor({2, 2, 2, 3}, 1));
  Tensor links = Tensor::Zeros({2, 2, 3}, DType::kF64);
  links[0].row<double>(0)[1] = 1;
  links[1].row<double>(1)[0] = 0.5;
  links[1].row<double>(1)[2] = 0.5;
  const auto a = [&](int64_t b, int64_t h, int64_t t, int64_t s) {
    return At(weights[b][h], t, s) + 1e-6;
  };
  const std::vector<Var> parts = {weights};
  EXPECT_NEAR(AlignmentCrossEntropy(parts, links, 1, 0.5).value().item(),
              -0.5 * (std::log(a(0, 1, 0, 1)) + 0.5 * std::log(a(1, 1, 1, 0)) +
                      0.5 * std::log(a(1, 1, 1, 2))),
              1e-12);
  const auto mean = [&](int64_t b, int64_t t, int64_t s) {
    return (a(b, 0, t, s) + a(b, 1, t, s)) / 2;
  };
  EXPECT_NEAR(AlignmentCrossEntropy(parts, links, -1, 1).value().item(),
              -std::log(mean(0, 0, 1)) - 0.5 * std::log(mean(1, 1, 0)) -
                  0.5 * std::log(mean(1, 1, 2)),
              1e-12);
}

TEST(AlignmentCrossEntropy, HasTheGradientOfDifferences) {
  const Tensor links = Softmax(RandomTensor({2, 3, 4}, 1));
  for (const int64_t head : {-1, 0, 1}) {
    ExpectGradientOf(
        [&](std::span<const Var> x) {
          return AlignmentCrossEntropy(x, links, head, 0.7);
        },
        {Softmax(RandomTensor({2, 2, 1, 4}, 2)),
         Softmax(RandomTensor({2, 2, 2, 4}, 3))});
  }
}

TEST(AlignmentCrossEntropy, IsFiniteWhereAWeightIsZero) {
  const std::vector<Var> weights = {Tensor::Zeros({1, 1, 1, 2}, DType::kF64)};
  const Tensor links = Tensor::Full({1, 1, 2}, 0.5, DType::kF64);
  EXPECT_NEAR(AlignmentCrossEntropy(weights, links, 0, 1).value().item(),
              -std::log(1e-6), 1e-9);
}

TEST(AlignmentCrossEntropy, WeightsAndLinksMustFit) {
  const std::vector<Var> weights = {Tensor::Zeros({2, 1, 3, 4})};
  const auto loss = [&](const Shape& links, int64_t head) {
    return AlignmentCrossEntropy(weights, Tensor::Zeros(links), head, 1);
  };
  EXPECT_THROW(loss({2, 4, 4}, 0), ShapeError);
  EXPECT_THROW(loss({2, 3, 5}, 0), ShapeError);
  EXPECT_THROW(loss({1, 3, 4}, 0), ShapeError);
  EXPECT_THROW(loss({2, 3, 4}, 1), ShapeError);
}

}  // namespace
}  // namespace heed::loss_test
