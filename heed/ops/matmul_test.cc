#include "heed/ops/matmul.h"

#include <gtest/gtest.h>

#include "heed/autograd/testing.h"

namespace heed::matmul_test {
namespace {

using kernels::At;
using kernels::ExpectEach;

/// Σ_k x[r, k] w[k, c].
double Dot(const Tensor& x, const Tensor& w, int64_t r, int64_t c) {
  double sum = 0;
  for (int64_t k = 0; k < x.cols(); ++k) sum += At(x, r, k) * At(w, k, c);
  return sum;
}

class Products : public testing::TestWithParam<DType> {
 protected:
  Tensor Random(const Shape& shape, uint64_t seed) const {
    return RandomTensor(shape, seed, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(DTypes, Products,
                         testing::Values(DType::kF32, DType::kF64),
                         [](const auto& info) {
                           return std::string(Name(info.param));
                         });

TEST_P(Products, AreSumsOfProducts) {
  const Tensor x = Random({2, 3, 17}, 1);
  const Tensor w = Random({17, 65}, 2);
  const Tensor bias = Random({65}, 3);
  const Tensor base = Random({2, 3, 65}, 4);
  const auto product = [&](int64_t r, int64_t c) { return Dot(x, w, r, c); };
  ASSERT_EQ(MatMul(x, w).shape(), (Shape{2, 3, 65}));
  ExpectEach(MatMul(x, w).value(), 3e-6, product);
  ExpectEach(Affine(x, w, bias).value(), 3e-6, [&](int64_t r, int64_t c) {
    return product(r, c) + At(bias, 0, c);
  });
  ExpectEach(
      MatMulAdd(base.Clone(), x, w).value(), 3e-6,
      [&](int64_t r, int64_t c) { return product(r, c) + At(base, r, c); });
}

TEST_P(Products, OfATransposedWeightTakeItsRows) {
  const Tensor x = Random({6, 17}, 1);
  const Tensor w = Random({65, 17}, 2);
  const Tensor bias = Random({65}, 3);
  ExpectEach(AffineTransposed(x, w, bias).value(), 3e-6,
             [&](int64_t r, int64_t c) {
               double sum = At(bias, 0, c);
               for (int64_t k = 0; k < 17; ++k)
                 sum += At(x, r, k) * At(w, c, k);
               return sum;
             });
}

TEST_P(Products, WithAParameterEqualThoseWithItsValue) {
  const Tensor x = Random({6, 17}, 1);
  const Parameter w("layer.weight", Random({17, 30}, 2),
                    kernels::Precision::kNative);
  const Tensor bias = Random({17}, 3);
  EXPECT_EQ(MaxDifference(MatMul(x, Context().Use(w)).value(),
                          MatMul(x, w.value()).value()),
            0);
  const Tensor y = Random({6, 30}, 4);
  EXPECT_EQ(MaxDifference(AffineTransposed(y, Context().Use(w), bias).value(),
                          AffineTransposed(y, w.value(), bias).value()),
            0);
}

TEST(MatMulAdd, ReusesTheStorageOfASumThatNobodyElseHolds) {
  const Tensor x = Tensor::Full({2, 3}, 1);
  const Tensor w = Tensor::Full({3, 4}, 1);
  Var base = Tensor::Full({2, 4}, 5);
  const void* storage = base.value().raw();
  const Var y = MatMulAdd(std::move(base), x, w);
  EXPECT_EQ(y.value().raw(), storage);
  EXPECT_EQ(y.value().ToVector<float>(), std::vector<float>(8, 8.0F));
}

TEST(MatMulAdd, LeavesASumThatSomeoneElseHolds) {
  const Tensor base = Tensor::Full({2, 4}, 5);
  MatMulAdd(base, Tensor::Full({2, 3}, 1), Tensor::Full({3, 4}, 1));
  EXPECT_EQ(base.ToVector<float>(), std::vector<float>(8, 5.0F));
}

TEST(Embed, TakesRowsById) {
  const Tensor table = RandomTensor({5, 3}, 1);
  const Tensor ids = Ids({4, 0, 4, 1}, {2, 2});
  const Tensor y = Embed(table, ids).value();
  ASSERT_EQ(y.shape(), (Shape{2, 2, 3}));
  ExpectEach(y, 0, [&](int64_t r, int64_t c) {
    return At(table, ids.data<int32_t>()[r], c);
  });
}

TEST(Products, RefuseFactorsThatDoNotFit) {
  const Tensor x = Tensor::Zeros({2, 3});
  const Tensor w = Tensor::Zeros({4, 5});
  const Parameter named("decoder.weight", w, kernels::Precision::kNative);
  ExpectShapeError([&] { MatMul(x, w); }, {"matmul", "[2, 3]", "[4, 5]"});
  ExpectShapeError([&] { MatMul(x, Context().Use(named)); },
                   {"decoder.weight", "[2, 3]", "[4, 5]"});
  const Tensor fits = Tensor::Zeros({3, 5});
  ExpectShapeError([&] { Affine(x, fits, Tensor::Zeros({4})); },
                   {"affine", "[3, 5]", "[4]"});
  ExpectShapeError(
      [&] {
        AffineTransposed(x, Tensor::Zeros({5, 3}), Tensor::Zeros({4}));
      },
      {"affine transposed", "[5, 3]", "[4]"});
  ExpectShapeError([&] { Affine(x, fits, Tensor::Zeros({5}, DType::kF64)); },
                   {"affine", "f32 with f64"});
  ExpectShapeError([&] { AffineTransposed(x, w, Tensor::Zeros({4})); },
                   {"factors that do not fit", "[2, 3]", "[4, 5]"});
  ExpectShapeError(
      [&] {
        MatMulAdd(Tensor::Zeros({2, 4}), x, fits);
      },
      {"matmul add", "[2, 4]", "[3, 5]"});
}

TEST(Embed, RefusesIdsOutsideOfTheTable) {
  const Tensor table = Tensor::Zeros({5, 3});
  ExpectShapeError(
      [&] {
        Embed(table, Ids({1, 5}, {2}));
      },
      {"embedding", "id 5", "5 rows"});
  ExpectShapeError([&] { Embed(table, Ids({-1}, {1})); },
                   {"embedding", "id -1"});
}

}  // namespace
}  // namespace heed::matmul_test
