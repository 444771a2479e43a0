#include "heed/ops/attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/testing.h"

namespace heed {
namespace {

using kernels::At;
using kernels::ExpectEach;

constexpr int64_t B = 3;
constexpr int64_t T = 2;
constexpr int64_t S = 5;
constexpr int64_t A = 9;

const std::vector<int32_t> kLengths = {3, 0, 5};

/// Of row (b, t) of something [B, T, ·].
int64_t BatchOf(int64_t row) { return row / T; }
bool IsReal(int64_t row, int64_t s) {
  return s < kLengths[static_cast<size_t>(BatchOf(row))];
}

class AttentionOps : public testing::TestWithParam<DType> {
 protected:
  Tensor Random(const Shape& shape, uint64_t seed) const {
    return RandomTensor(shape, seed, GetParam());
  }
  const Tensor lengths_ = Lengths(kLengths);
};
INSTANTIATE_TEST_SUITE_P(DTypes, AttentionOps,
                         testing::Values(DType::kF32, DType::kF64),
                         [](const auto& info) {
                           return std::string(Name(info.param));
                         });

TEST_P(AttentionOps, AdditiveScoresAreTheFormulaOnRealKeys) {
  const Tensor q = Random({B, T, A}, 1);
  const Tensor k = Random({B, S, A}, 2);
  const Tensor w = Random({A}, 3);
  ExpectEach(AdditiveScores(q, k, w, lengths_).value(), 2e-6,
             [&](int64_t r, int64_t s) {
               double e = 0;
               for (int64_t a = 0; a < A; ++a) {
                 e += At(w, 0, a) *
                      std::tanh(At(q, r, a) + At(k, BatchOf(r) * S + s, a));
               }
               return IsReal(r, s) ? e : 0;
             });
}

TEST_P(AttentionOps, DotScoresAreTheFormulaOnRealKeys) {
  const Tensor q = Random({B, T, A}, 1);
  const Tensor k = Random({B, S, A}, 2);
  ExpectEach(DotScores(q, k, 0.3, lengths_).value(), 2e-6,
             [&](int64_t r, int64_t s) {
               double e = 0;
               for (int64_t a = 0; a < A; ++a)
                 e += At(q, r, a) * At(k, BatchOf(r) * S + s, a);
               return IsReal(r, s) ? 0.3 * e : 0;
             });
}

TEST_P(AttentionOps, MaskedSoftmaxIsTheFormulaOnRealKeys) {
  const Tensor e = Random({B, T, S}, 1);
  ExpectEach(MaskedSoftmax(e, lengths_).value(), 1e-6,
             [&](int64_t r, int64_t s) {
               double sum = 0;
               for (int64_t i = 0; i < S; ++i)
                 sum += IsReal(r, i) ? std::exp(At(e, r, i)) : 0;
               return IsReal(r, s) ? std::exp(At(e, r, s)) / sum : 0;
             });
}

TEST_P(AttentionOps, MaskedSoftmaxOfHugeScoresIsFinite) {
  Tensor e = Tensor::Full({1, 1, 3}, -1e30, GetParam());
  kernels::SetAt(e, 0, 1, 1e30);
  EXPECT_EQ(MaskedSoftmax(e, {}).value().ToVector<double>(),
            (std::vector<double>{0, 1, 0}));
}

TEST_P(AttentionOps, WeightedSumIsTheFormulaOnRealKeys) {
  const Tensor a = Random({B, T, S}, 1);
  const Tensor v = Random({B, S, A}, 2);
  ExpectEach(WeightedSum(a, v, lengths_).value(), 2e-6,
             [&](int64_t r, int64_t d) {
               double c = 0;
               for (int64_t s = 0; s < S; ++s) {
                 if (IsReal(r, s))
                   c += At(a, r, s) * At(v, BatchOf(r) * S + s, d);
               }
               return c;
             });
}

TEST_P(AttentionOps, PaddingIsNeverRead) {
  Tensor k = Random({B, S, A}, 2);
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t s = kLengths[static_cast<size_t>(b)]; s < S; ++s)
      k[b][s].Fill(NAN);
  }
  const Tensor q = Random({B, T, A}, 1);
  const Tensor w = Random({A}, 3);
  for (const Tensor& scores : {AdditiveScores(q, k, w, lengths_).value(),
                               DotScores(q, k, 1, lengths_).value()}) {
    const Tensor weights = MaskedSoftmax(scores, lengths_).value();
    const Tensor context = WeightedSum(weights, k, lengths_).value();
    for (const double c : context.ToVector<double>())
      EXPECT_TRUE(std::isfinite(c));
    EXPECT_EQ(MaxDifference(context[1], Tensor::Zeros({T, A}, GetParam())), 0);
  }
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
  ExpectShapeError([&] { DotScores(q, k, 1, {}); },
                   {"dot scores", "[2, 3, 4]", "[2, 5, 6]"});
  ExpectShapeError([&] { DotScores(q, fits, 1, Lengths({1})); },
                   {"dot scores", "[1]", "[2]"});
  ExpectShapeError(
      [&] {
        DotScores(q, fits, 1, Lengths({1, 6}));
      },
      {"dot scores", "length 6", "5"});
  ExpectShapeError([&] { AdditiveScores(q, k, Tensor::Zeros({4}), {}); },
                   {"additive scores", "[2, 3, 4]", "[2, 5, 6]"});
  ExpectShapeError([&] { AdditiveScores(q, fits, Tensor::Zeros({5}), {}); },
                   {"additive scores", "[2, 5, 4]", "[5]"});
  ExpectShapeError(
      [&] {
        MaskedSoftmax(Tensor::Zeros({2, 3}), {});
      },
      {"masked softmax", "[2, 3]"});
  ExpectShapeError(
      [&] {
        MaskedSoftmax(q, Lengths({1, 5}));
      },
      {"masked softmax", "length 5", "4"});
  ExpectShapeError([&] { WeightedSum(q, k, {}); },
                   {"weighted sum", "[2, 3, 4]", "[2, 5, 6]"});
  ExpectShapeError(
      [&] { LayerNorm(q, Tensor::Zeros({3}), Tensor::Zeros({4}), 1); },
      {"layer norm", "[2, 3, 4]", "[3]"});
}

}  // namespace
}  // namespace heed
