#include "heed/ops/attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/testing.h"
#include "heed/kernels/elementwise.h"
#include "heed/ops/norm.h"

namespace heed::attention_test {
namespace {

using kernels::At;
using kernels::ExpectEach;
using Kind = kernels::AttentionArgs::Score;

constexpr int64_t B = 3;
constexpr int64_t T = 2;
constexpr int64_t S = 5;
constexpr int64_t A = 9;

/// Batch row b of row (b, t) of a tensor [B, T, ·].
int64_t BatchOf(int64_t row) { return row / T; }

class AttentionOps : public testing::TestWithParam<DType> {
 protected:
  Tensor Random(const Shape& shape, uint64_t seed) const {
    return RandomTensor(shape, seed, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(DTypes, AttentionOps,
                         testing::Values(DType::kF32, DType::kF64),
                         [](const auto& info) {
                           return std::string(Name(info.param));
                         });

TEST_P(AttentionOps, PairScoresAreTheFormulaWithTheWeightOfTheHead) {
  constexpr int64_t kHeads = 3;
  const Tensor q = Random({B, T, A}, 1);
  const Tensor k = Random({B, S, A}, 2);
  const Tensor w = Random({kHeads, A}, 3);
  constexpr double kSlope = 0.2;
  for (const auto kind : {Kind::kTanh, Kind::kLeaky}) {
    ExpectEach(PairScores(kind, kSlope, q, k, w).value(), 2e-6,
               [&](int64_t r, int64_t s) {
                 double e = 0;
                 for (int64_t a = 0; a < A; ++a) {
                   const double x = At(q, r, a) + At(k, BatchOf(r) * S + s, a);
                   const double leaky = x > 0 ? x : kSlope * x;
                   e += At(w, BatchOf(r) % kHeads, a) *
                        (kind == Kind::kTanh ? std::tanh(x) : leaky);
                 }
                 return e;
               });
  }
}

/// In self attention, both gradients reach the single variable.
TEST_P(AttentionOps, AVariableThatIsGivenTwiceGetsBothGradients) {
  const Tensor x = Random({B, S, A}, 1);
  const Tensor seed = Random({B, S, S}, 2);
  const Tensor w = Random({1, A}, 3);
  const auto pair = [&](const Var& q, const Var& k) {
    return PairScores(Kind::kTanh, 0, q, k, w);
  };
  const auto dot = [](const Var& q, const Var& k) {
    return DotScores(q, k, 0.5);
  };
  const auto expect = [&](const auto& scores) {
    Tape tape;
    const Var one = tape.Leaf(x);
    const Var q = tape.Leaf(x);
    const Var k = tape.Leaf(x);
    tape.Backward(scores(one, one), seed);
    Tensor sum = tape.Gradient(one).Clone();
    tape.Backward(scores(q, k), seed);
    kernels::AddTo(sum, tape.Gradient(q), -1);
    kernels::AddTo(sum, tape.Gradient(k), -1);
    EXPECT_LT(MaxDifference(sum, Tensor::Zeros(x.shape(), x.dtype())), 1e-5);
  };
  expect(pair);
  expect(dot);
}

TEST_P(AttentionOps, DotScoresAreTheFormula) {
  const Tensor q = Random({B, T, A}, 1);
  const Tensor k = Random({B, S, A}, 2);
  ExpectEach(DotScores(q, k, 0.3).value(), 2e-6, [&](int64_t r, int64_t s) {
    double e = 0;
    for (int64_t a = 0; a < A; ++a)
      e += At(q, r, a) * At(k, BatchOf(r) * S + s, a);
    return 0.3 * e;
  });
}

TEST_P(AttentionOps, WeightedSumIsTheFormula) {
  const Tensor a = Random({B, T, S}, 1);
  const Tensor v = Random({B, S, A}, 2);
  ExpectEach(WeightedSum(a, v).value(), 2e-6, [&](int64_t r, int64_t d) {
    double c = 0;
    for (int64_t s = 0; s < S; ++s)
      c += At(a, r, s) * At(v, BatchOf(r) * S + s, d);
    return c;
  });
}

TEST_P(AttentionOps, NormalizeRowsAndLayerNormAreTheirFormulas) {
  const Tensor x = Random({B, T, A}, 1);
  const Tensor gain = Random({A}, 2);
  const Tensor bias = Random({A}, 3);
  const auto moment = [&](int64_t r, double mean) {
    double sum = 0;
    for (int64_t c = 0; c < A; ++c) sum += std::pow(At(x, r, c) - mean, 2);
    return sum;
  };
  ExpectEach(NormalizeRows(x, 1e-4).value(), 1e-6, [&](int64_t r, int64_t c) {
    return At(x, r, c) / std::sqrt(moment(r, 0) + 1e-4);
  });
  ExpectEach(
      LayerNorm(x, gain, bias, 1e-4).value(), 3e-6, [&](int64_t r, int64_t c) {
        double mean = 0;
        for (int64_t i = 0; i < A; ++i) mean += At(x, r, i) / A;
        return (At(x, r, c) - mean) / std::sqrt(moment(r, mean) / A + 1e-4) *
                   At(gain, 0, c) +
               At(bias, 0, c);
      });
}

TEST(NormalizeRows, KeepsAZeroRowAndItsGradientFinite) {
  Tape tape;
  const Var x = tape.Leaf(Tensor::Zeros({1, 4}));
  const Var y = NormalizeRows(x, 1e-8);
  EXPECT_EQ(y.value().ToVector<float>(), std::vector<float>(4, 0.0F));
  tape.Backward(y);
  for (const double g : tape.Gradient(x).ToVector<double>()) {
    EXPECT_TRUE(std::isfinite(g));
  }
}

TEST(AttentionOps, RefuseOperandsThatDoNotFit) {
  const Tensor q = Tensor::Zeros({2, 3, 4});
  const Tensor k = Tensor::Zeros({2, 5, 6});
  const Tensor fits = Tensor::Zeros({2, 5, 4});
  ExpectShapeError([&] { DotScores(q, k, 1); },
                   {"dot scores", "[2, 3, 4]", "[2, 5, 6]"});
  ExpectShapeError([&] { DotScores(q, fits.To(DType::kF64), 1); },
                   {"dot scores", "[2, 5, 4]"});
  ExpectShapeError(
      [&] {
        PairScores(Kind::kTanh, 0, q, k, Tensor::Zeros({1, 4}));
      },
      {"pair scores", "[2, 3, 4]", "[2, 5, 6]"});
  ExpectShapeError(
      [&] {
        PairScores(Kind::kTanh, 0, q, fits, Tensor::Zeros({1, 5}));
      },
      {"pair scores", "[2, 5, 4]", "[1, 5]"});
  ExpectShapeError([&] { WeightedSum(q, k); },
                   {"weighted sum", "[2, 3, 4]", "[2, 5, 6]"});
  ExpectShapeError(
      [&] { LayerNorm(q, Tensor::Zeros({3}), Tensor::Zeros({4}), 1); },
      {"layer norm", "[2, 3, 4]", "[3]"});
}

}  // namespace
}  // namespace heed::attention_test
