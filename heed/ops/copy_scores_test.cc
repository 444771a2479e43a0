#include "heed/ops/copy_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/ops/testing.h"

namespace heed::copy_scores_test {
namespace {

constexpr int64_t kWords = 4;

/// Positions that copy a word twice, a temporary token twice, and nothing.
Tensor SomeIds() {
  return heed::Ids({1, 4, 1, 5, -1, 5,  //
                    5, 3, 0, 4, 4, -1},
                   {2, 6});
}

/// Scores without the temporary tokens that no row copies.
Var PresentScores(const Var& logits, const Var& gate, const Var& weights) {
  return Columns(CopyScores(logits, gate, weights, SomeIds()), 0, kWords + 2);
}

TEST(CopyScores, AreTheMixture) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    const Tensor z = RandomTensor({2, kWords}, 1, dtype);
    const Tensor g = RandomTensor({2, 1}, 2, dtype);
    const Tensor a = LogSoftmax(RandomTensor({2, 6}, 3, dtype)).value();
    Tensor weights({2, 6}, dtype);
    std::vector<std::map<int32_t, double>> expected(2);
    for (int64_t r = 0; r < 2; ++r) {
      const double generated = 1 / (1 + std::exp(-kernels::At(g, r, 0)));
      double sum = 0;
      for (int64_t v = 0; v < kWords; ++v)
        sum += std::exp(kernels::At(z, r, v));
      for (int32_t v = 0; v < kWords; ++v) {
        expected[r][v] = generated * std::exp(kernels::At(z, r, v)) / sum;
      }
      for (int64_t s = 0; s < 6; ++s) {
        const double weight = std::exp(kernels::At(a, r, s));
        dtype == DType::kF64
            ? weights.row<double>(r)[s] = weight
            : weights.row<float>(r)[s] = static_cast<float>(weight);
        expected[r][SomeIds().row<int32_t>(r)[s]] +=
            (1 - generated) * (weight + 1e-10);
      }
    }
    const Tensor y = CopyScores(z, g, weights, SomeIds()).value();
    EXPECT_EQ(y.shape(), Shape({2, kWords + 6}));
    kernels::ExpectEach(y, 1e-6, [&](int64_t r, int64_t c) {
      const auto found = expected[r].find(static_cast<int32_t>(c));
      if (found != expected[r].end()) return std::log(found->second);
      return dtype == DType::kF64 ? kNoCopy : static_cast<float>(kNoCopy);
    });
  }
}

TEST(CopyScores, HaveGradients) {
  const auto apply = [](std::span<const Var> in) {
    return PresentScores(in[0], in[1], in[2]);
  };
  Tensor weights = RandomTensor({2, 6}, 3);
  for (int64_t i = 0; i < 12; ++i) {
    double& w = weights.data<double>()[i];
    w = std::abs(w) + 0.01;
  }
  ExpectGradientOf(apply, {RandomTensor({2, kWords}, 1),
                           RandomTensor({2, 1}, 2), std::move(weights)});
}

TEST(CopyScores, StayFiniteForClosedGatesAndMissingWeights) {
  for (const double gate : {-1e4, -200.0, 0.0, 200.0, 1e4}) {
    Tape tape;
    const Var z = tape.Leaf(RandomTensor({2, kWords}, 1, DType::kF32));
    const Var g = tape.Leaf(Tensor::Full({2, 1}, gate, DType::kF32));
    const Var a = tape.Leaf(Tensor::Zeros({2, 6}, DType::kF32));
    const Var y = PresentScores(z, g, a);
    tape.Backward(Pick(y, Ids({4, 3}, {2})), Tensor::Full({2}, 1, DType::kF32));
    for (const Tensor& x : {y.value().Contiguous(), tape.Gradient(z),
                            tape.Gradient(g), tape.Gradient(a)}) {
      for (int64_t i = 0; i < x.numel(); ++i) {
        EXPECT_TRUE(std::isfinite(x.data<float>()[i])) << gate;
      }
    }
  }
}

TEST(CopyScores, RefuseIdsBeyondTheSource) {
  const Var z(Tensor::Zeros({1, 2})), g(Tensor::Zeros({1, 1})),
      a(Tensor::Zeros({1, 1}));
  EXPECT_NO_THROW(CopyScores(z, g, a, Ids({2}, {1, 1})));
  EXPECT_THROW(CopyScores(z, g, a, Ids({3}, {1, 1})), ShapeError);
}

}  // namespace
}  // namespace heed::copy_scores_test
