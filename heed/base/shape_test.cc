#include "heed/base/shape.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"

namespace heed {
namespace {

TEST(Shape, OfRankZeroIsAScalarWithOneElement) {
  const Shape shape;
  EXPECT_EQ(shape.rank(), 0);
  EXPECT_EQ(shape.numel(), 1);
  EXPECT_EQ(shape.ToString(), "[]");
}

TEST(Shape, CountsAxesFromBothEnds) {
  Shape shape = {64, 7, 512};
  EXPECT_EQ(shape[0], 64);
  EXPECT_EQ(shape[-1], 512);
  EXPECT_EQ(shape[-3], 64);
  shape.Set(-2, 9);
  EXPECT_EQ(shape[1], 9);
  EXPECT_EQ(shape.numel(), 64 * 9 * 512);
  EXPECT_EQ(shape.ToString(), "[64, 9, 512]");
}

TEST(Shape, WithAnEmptyDimensionHasNoElements) {
  EXPECT_EQ((Shape{3, 0, 5}).numel(), 0);
}

TEST(Shape, EqualsOnlyTheSameDimensionsOfTheSameRank) {
  EXPECT_TRUE((Shape{2, 3}) == (Shape{2, 3}));
  EXPECT_FALSE((Shape{2, 3}) == (Shape{3, 2}));
  EXPECT_FALSE((Shape{2, 3}) == (Shape{2, 3, 1}));
  Shape grown = {2};
  grown.Append(3);
  EXPECT_TRUE(grown == (Shape{2, 3}));
}

TEST(Shape, RefusesSixDimensionsAndNegativeOnes) {
  EXPECT_THROW((Shape{1, 2, 3, 4, 5, 6}), ShapeError);
  EXPECT_THROW((Shape{2, -1}), ShapeError);
  Shape full = {1, 2, 3, 4, 5};
  EXPECT_THROW(full.Append(6), ShapeError);
}

}  // namespace
}  // namespace heed
