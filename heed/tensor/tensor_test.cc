#include "heed/tensor/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "heed/base/errors.h"

namespace heed {
namespace {

/// Tensor with elements 0, 1, 2, ...
Tensor Counting(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return Tensor::Of(values, shape);
}

TEST(Tensor, IsUndefinedUntilItHasElements) {
  Tensor t;
  EXPECT_FALSE(t.defined());
  EXPECT_FALSE(t.unique());
  t = Tensor::Zeros({2, 3});
  EXPECT_TRUE(t.defined());
  EXPECT_EQ(t.ToVector<float>(), std::vector<float>(6, 0.0F));
}

TEST(Tensor, FullConvertsItsValue) {
  EXPECT_EQ(Tensor::Full({2}, 2.75, DType::kF64).ToVector<double>(),
            (std::vector<double>{2.75, 2.75}));
  EXPECT_EQ(Tensor::Full({2}, 2.75, DType::kI32).ToVector<int32_t>(),
            (std::vector<int32_t>{2, 2}));
  EXPECT_EQ(Tensor::Full({}, 3).item(), 3);
}

TEST(Tensor, StartsAligned) {
  for (const int64_t n : {1, 5, 100, 100000}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(Tensor({n}).raw()) % 64, 0U);
  }
}

TEST(Tensor, CopiesShareElements) {
  Tensor a = Tensor::Zeros({3});
  EXPECT_TRUE(a.unique());
  Tensor b = a;
  EXPECT_FALSE(a.unique());
  b.data<float>()[1] = 7;
  EXPECT_EQ(a.data<float>()[1], 7);
  b = Tensor();
  EXPECT_TRUE(a.unique());
}

TEST(Tensor, CloneDoesNotShare) {
  const Tensor a = Counting({2, 2});
  Tensor b = a.Clone();
  b.Fill(9);
  EXPECT_EQ(a.ToVector<float>(), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_FALSE(b.Aliases(a));
}

TEST(Tensor, RefusesValuesThatDoNotFillItsShape) {
  EXPECT_THROW(Tensor::Of(std::vector<float>{1, 2, 3}, {2, 2}), ShapeError);
}

TEST(Tensor, ItemNeedsExactlyOneElement) {
  EXPECT_EQ(Counting({1, 1}).item(), 0);
  EXPECT_THROW(Counting({2}).item(), ShapeError);
}

TEST(Tensor, SlicesAreViews) {
  Tensor t = Counting({4, 3});
  Tensor middle = t.Slice(1, 3);
  EXPECT_EQ(middle.shape(), (Shape{2, 3}));
  EXPECT_EQ(middle.ToVector<float>(), (std::vector<float>{3, 4, 5, 6, 7, 8}));
  middle.Fill(0);
  EXPECT_EQ(t.ToVector<float>(),
            (std::vector<float>{0, 1, 2, 0, 0, 0, 0, 0, 0, 9, 10, 11}));
  EXPECT_EQ(Counting({5}).Slice(2, 4).ToVector<float>(),
            (std::vector<float>{2, 3}));
  EXPECT_EQ(t.Slice(2, 2).numel(), 0);
}

TEST(Tensor, IndexDropsTheFirstDimension) {
  const Tensor t = Counting({2, 3, 4});
  EXPECT_EQ(t[1].shape(), (Shape{3, 4}));
  EXPECT_EQ(t[1][2].ToVector<float>(), (std::vector<float>{20, 21, 22, 23}));
  EXPECT_EQ(t[1][2][3].item(), 23);
  EXPECT_EQ(t[1][2][3].rank(), 0);
}

TEST(Tensor, ColumnsAreViewsWithRowsApart) {
  Tensor t = Counting({2, 4});
  Tensor part = t.Columns(1, 3);
  EXPECT_FALSE(part.contiguous());
  EXPECT_EQ(part.row_stride(), 4);
  EXPECT_EQ(part.ToVector<float>(), (std::vector<float>{1, 2, 5, 6}));
  EXPECT_EQ(part[1].ToVector<float>(), (std::vector<float>{5, 6}));
  EXPECT_EQ(part.Slice(1, 2).ToVector<float>(), (std::vector<float>{5, 6}));
  part.Fill(0);
  EXPECT_EQ(t.ToVector<float>(), (std::vector<float>{0, 0, 0, 3, 4, 0, 0, 7}));
}

TEST(Tensor, SlicesOfColumnsOfThreeDimensions) {
  const Tensor part = Counting({3, 2, 4}).Columns(2, 4);
  EXPECT_EQ(part.Slice(1, 3).ToVector<float>(),
            (std::vector<float>{10, 11, 14, 15, 18, 19, 22, 23}));
  EXPECT_EQ(part[2].ToVector<float>(), (std::vector<float>{18, 19, 22, 23}));
}

TEST(Tensor, ContiguousCopiesOnlyIfRowsAreApart) {
  const Tensor t = Counting({2, 4});
  EXPECT_TRUE(t.Contiguous().Aliases(t));
  const Tensor part = t.Columns(0, 2);
  EXPECT_TRUE(part.Aliases(t));
  EXPECT_FALSE(part.Contiguous().Aliases(t));
  EXPECT_EQ(part.Contiguous().ToVector<float>(),
            (std::vector<float>{0, 1, 4, 5}));
}

TEST(Tensor, ReshapeShares) {
  const Tensor t = Counting({2, 6});
  const Tensor r = t.Reshape({3, 4});
  EXPECT_TRUE(r.Aliases(t));
  EXPECT_EQ(r[2].ToVector<float>(), (std::vector<float>{8, 9, 10, 11}));
  EXPECT_THROW(t.Reshape({5}), ShapeError);
}

TEST(Tensor, ReshapeOfRowsApartKeepsTheirLength) {
  const Tensor part = Counting({4, 3}).Columns(1, 3);
  EXPECT_EQ(part.Reshape({2, 2, 2})[1].ToVector<float>(),
            (std::vector<float>{7, 8, 10, 11}));
  EXPECT_THROW(part.Reshape({2, 4}), ShapeError);
}

TEST(Tensor, ReshapeOfASingleRowOfAColumnView) {
  const Tensor row = Counting({1, 6}).Columns(1, 5);
  EXPECT_EQ(row.Reshape({2, 2}).ToVector<float>(),
            (std::vector<float>{1, 2, 3, 4}));
}

TEST(Tensor, RefusesPartsOutsideOfIt) {
  const Tensor t = Counting({2, 3});
  EXPECT_THROW(t.Slice(0, 3), ShapeError);
  EXPECT_THROW(t.Slice(-1, 1), ShapeError);
  EXPECT_THROW(t.Slice(2, 1), ShapeError);
  EXPECT_THROW(t[2], ShapeError);
  EXPECT_THROW(t.Columns(1, 4), ShapeError);
  EXPECT_THROW(Tensor::Full({}, 1)[0], ShapeError);
}

TEST(Tensor, CopyFromWritesThroughViews) {
  Tensor t = Tensor::Zeros({2, 3});
  Tensor part = t.Columns(1, 3);
  part.CopyFrom(Counting({2, 2}));
  EXPECT_EQ(t.ToVector<float>(), (std::vector<float>{0, 0, 1, 0, 2, 3}));
  EXPECT_THROW(part.CopyFrom(Counting({3, 2})), ShapeError);
  EXPECT_THROW(part.CopyFrom(Tensor::Zeros({2, 2}, DType::kF64)), ShapeError);
}

TEST(Tensor, RowsAreAllDimensionsButTheLast) {
  const Tensor t = Counting({2, 3, 4});
  EXPECT_EQ(t.rows(), 6);
  EXPECT_EQ(t.cols(), 4);
  EXPECT_EQ(t.row<float>(4)[1], 17);
  EXPECT_EQ(Tensor::Full({}, 1).rows(), 1);
}

TEST(Tensor, RoundsToBfloat16ToNearestEven) {
  const auto round = [](float x) {
    return Tensor::Of(std::vector<float>{x}, {1})
        .To(DType::kBF16)
        .To(DType::kF32)
        .item();
  };
  EXPECT_EQ(round(1.0F), 1.0F);
  EXPECT_EQ(round(1.0F + 0x1p-8F), 1.0F) << "a tie goes to even";
  EXPECT_EQ(round(1.0F + 3 * 0x1p-8F), 1.0F + 2 * 0x1p-7F);
  EXPECT_EQ(round(1.0F + 0x1.1p-8F), 1.0F + 0x1p-7F);
  EXPECT_EQ(round(-INFINITY), -INFINITY);
  EXPECT_EQ(round(std::numeric_limits<float>::max()), INFINITY);
  EXPECT_TRUE(std::isnan(round(NAN)));
}

TEST(Tensor, ConvertsBetweenTypes) {
  const Tensor t = Counting({2, 3}).Columns(0, 2).To(DType::kF64);
  EXPECT_EQ(t.dtype(), DType::kF64);
  EXPECT_EQ(t.ToVector<double>(), (std::vector<double>{0, 1, 3, 4}));
  EXPECT_EQ(t.To(DType::kI32).ToVector<int32_t>(),
            (std::vector<int32_t>{0, 1, 3, 4}));
  const Tensor bytes = Tensor::Of<int8_t>({-127, 5}, {2});
  EXPECT_EQ(bytes.bytes(), 2);
  EXPECT_EQ(bytes.To(DType::kF32).ToVector<int32_t>(),
            (std::vector<int32_t>{-127, 5}));
  EXPECT_EQ(Tensor::Full({1}, 200, DType::kU8).item(), 200);
  EXPECT_FALSE(t.To(DType::kF64).Aliases(t));
}

}  // namespace
}  // namespace heed
