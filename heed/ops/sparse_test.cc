#include "heed/ops/sparse.h"

#include <gtest/gtest.h>

#include "heed/autograd/testing.h"
#include "heed/ops/elementwise.h"

namespace heed::sparse_test {
namespace {

using Inputs = std::span<const Var>;

/// Pattern with rows {0, 2}, {}, {3, 1, 3} of 4 columns.
std::shared_ptr<const kernels::SparsePattern> Pattern() {
  return std::make_shared<const kernels::SparsePattern>(
      kernels::MakeSparsePattern(Ids({0, 2, 2, 5}, {4}),
                                 Ids({0, 2, 3, 1, 3}, {5}), 4));
}

TEST(SparseGradient, OfWeightAndValuesIsThatOfDifferences) {
  for (const int64_t groups : {1, 3}) {
    ExpectGradientOf(
        [](Inputs in) { return Tanh(SparseMatMul(Pattern(), in[0], in[1])); },
        {RandomTensor({groups, 5}, 1), RandomTensor({4, 6}, 2)});
  }
}

TEST(SparseGradient, OfValuesThatAreAProductThemselves) {
  ExpectGradientOf(
      [](Inputs in) {
        return Tanh(
            SparseMatMul(Pattern(), SparseMatMul(Pattern(), {}, in[0]), in[1]));
      },
      {RandomTensor({4, 5}, 1), RandomTensor({4, 6}, 2)});
}

TEST(SparseGradient, InF32IsThatInF64) {
  const auto gradients = [](DType dtype) {
    Tape tape;
    const Var values = tape.Leaf(RandomTensor({2, 5}, 1, dtype));
    const Var weight = tape.Leaf(RandomTensor({4, 66}, 2, dtype));
    const Var y = SparseMatMul(Pattern(), values, weight);
    tape.Backward(y, RandomTensor(y.shape(), 3, dtype));
    return std::pair(tape.Gradient(values), tape.Gradient(weight));
  };
  const auto f32 = gradients(DType::kF32);
  const auto f64 = gradients(DType::kF64);
  EXPECT_LT(MaxDifference(f32.first, f64.first), 1e-5);
  EXPECT_LT(MaxDifference(f32.second, f64.second), 1e-5);
}

TEST(Sparse, ARowWithoutEntriesIsZero) {
  const Tensor y = SparseMatMul(Pattern(), {}, RandomTensor({4, 3}, 1)).value();
  EXPECT_EQ(y.dim(0), 3);
  for (int64_t c = 0; c < 3; ++c) EXPECT_EQ(kernels::At(y, 1, c), 0);
}

TEST(Sparse, RefusesShapesThatDoNotFit) {
  ExpectShapeError(
      [] {
        SparseMatMul(Pattern(), {}, Tensor::Zeros({5, 2}));
      },
      {"sparse matmul", "[3, 4]", "[5, 2]"});
  ExpectShapeError(
      [] {
        SparseMatMul(Pattern(), Tensor::Zeros({1, 4}), Tensor::Zeros({4, 2}));
      },
      {"sparse matmul", "[G, E]", "[1, 4]"});
  ExpectShapeError(
      [] {
        SparseMatMul(Pattern(), Tensor::Zeros({3, 5}), Tensor::Zeros({4, 2}));
      },
      {"sparse matmul", "[G, E]", "[3, 5]"});
  ExpectShapeError(
      [] {
        SparseMatMul(Pattern(), Tensor::Zeros({1, 5}, DType::kF64),
                     Tensor::Zeros({4, 2}));
      },
      {"sparse matmul", "f64", "f32"});
}

}  // namespace
}  // namespace heed::sparse_test
