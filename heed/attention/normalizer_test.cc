// Tests of normalisers with a bias against their equations.
#include "heed/attention/normalizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/testing.h"
#include "heed/kernels/elementwise.h"
#include "heed/ops/normalizers.h"

namespace heed {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// Normaliser for 2 heads.
struct BiasedUnderTest {
  explicit BiasedUnderTest(const std::string& text)
      : set(1, DType::kF64, kernels::Precision::kNative),
        normalizer(ChooseNormalizer(text).Make(Scope(set, "attention"),
                                               {.heads = 2, .init = {}})) {}

  Tensor Weights(const Tensor& scores) const {
    return (*normalizer)({}, scores).weights.value();
  }
  void SetBiases(double first, double second) {
    Parameter& bias = *set.Find("attention.normalizer.bias");
    bias.mutable_value().CopyFrom(
        Tensor::Of(std::vector<double>{first, second}, {2}));
    bias.Changed();
  }

  ParameterSet set;
  std::unique_ptr<Normalizer> normalizer;
};

/// Scores [B H, T, S] of a batch of 2.
Tensor SomeScores() { return RandomTensor({4, 3, 5}, 7); }

TEST(SigmoidNormalizer, StartsAtMinusTheLogarithmOfTheKeysThatAreSeen) {
  const BiasedUnderTest sigmoid("sigmoid");
  Tensor scores = Tensor::Zeros({2, 3, 4}, DType::kF64);
  // Causal: query t sees t + 1 keys.
  for (int64_t n = 0; n < 2; ++n) {
    for (int64_t t = 0; t < 3; ++t) {
      for (int64_t s = t + 1; s < 4; ++s) scores[n].row<double>(t)[s] = kNever;
    }
  }
  const Tensor weights = sigmoid.Weights(scores);
  for (int64_t t = 0; t < 3; ++t) {
    const double seen = static_cast<double>(t) + 1;
    for (int64_t s = 0; s < 4; ++s) {
      EXPECT_NEAR(weights[1].row<double>(t)[s], s <= t ? 1 / (1 + seen) : 0,
                  1e-15);
    }
  }
}

TEST(SigmoidNormalizer, ASumOfWeightsDoesNotGrowWithTheKeys) {
  const BiasedUnderTest sigmoid("sigmoid");
  for (const int64_t keys : {10, 1000}) {
    const Tensor weights =
        sigmoid.Weights(Tensor::Zeros({2, 1, keys}, DType::kF64));
    double sum = 0;
    for (int64_t s = 0; s < keys; ++s) sum += weights.row<double>(0)[s];
    EXPECT_NEAR(sum, 1, 0.1) << keys;
  }
}

TEST(SigmoidNormalizer, ABiasOfItsHeadIsAddedToScores) {
  BiasedUnderTest sigmoid("sigmoid");
  sigmoid.SetBiases(0.5, -2);
  const Tensor scores = SomeScores();
  const Tensor weights = sigmoid.Weights(scores);
  for (int64_t n = 0; n < 4; ++n) {
    const double bias = n % 2 == 0 ? 0.5 : -2;
    for (int64_t s = 0; s < 5; ++s) {
      const double e = scores[n].row<double>(1)[s] + bias - std::log(5.0);
      EXPECT_NEAR(weights[n].row<double>(1)[s], 1 / (1 + std::exp(-e)), 1e-15);
    }
  }
}

TEST(SmoothedSigmoidNormalizer, DependsOnItsBiasAndASoftmaxIsItsLimit) {
  BiasedUnderTest smoothed("smoothed_sigmoid");
  const Tensor scores = SomeScores();
  const Tensor start = smoothed.Weights(scores);
  EXPECT_LT(MaxDifference(start, SmoothedSigmoid(scores).value()), 1e-15);
  smoothed.SetBiases(1, 1);
  EXPECT_GT(MaxDifference(smoothed.Weights(scores), start), 1e-3);
  // σ(e + b) is exp(e + b) where b is far below 0, and b cancels.
  smoothed.SetBiases(-40, -40);
  EXPECT_LT(MaxDifference(smoothed.Weights(scores), Softmax(scores).value()),
            1e-12);
}

TEST(BiasedNormalizers, WithoutABiasAreWhatFormat1Computed) {
  const Tensor scores = SomeScores();
  const BiasedUnderTest sigmoid("sigmoid(0)");
  EXPECT_TRUE(sigmoid.set.all().empty());
  EXPECT_EQ(MaxDifference(sigmoid.Weights(scores), SigmoidGate(scores).value()),
            0);
  const BiasedUnderTest smoothed("smoothed_sigmoid(0)");
  EXPECT_TRUE(smoothed.set.all().empty());
  EXPECT_EQ(
      MaxDifference(smoothed.Weights(scores), SmoothedSigmoid(scores).value()),
      0);
}

}  // namespace
}  // namespace heed
