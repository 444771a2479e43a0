#include "heed/ops/shape.h"

#include <gtest/gtest.h>

#include "heed/autograd/testing.h"

namespace heed::shape_test {
namespace {

using kernels::At;
using kernels::ExpectEach;

TEST(Moves, OfViewsShareElements) {
  const Tensor x = RandomTensor({4, 6}, 1);
  EXPECT_TRUE(Reshape(x, {2, 12}).value().Aliases(x));
  EXPECT_TRUE(Slice(x, 0, 2).value().Aliases(x));
  EXPECT_TRUE(Select(x, 0).value().Aliases(x));
  EXPECT_TRUE(Columns(x, 0, 2).value().Aliases(x));
  EXPECT_EQ(Select(x, 3).shape(), (Shape{6}));
}

TEST(Moves, ConcatColumnsPutsPartsSideBySide) {
  const Tensor a = RandomTensor({2, 2, 3}, 1);
  const Tensor b = RandomTensor({2, 2, 4}, 2);
  const Tensor y = ConcatColumns({a, Columns(b, 1, 3)}).value();
  ASSERT_EQ(y.shape(), (Shape{2, 2, 5}));
  ExpectEach(y, 0, [&](int64_t r, int64_t c) {
    return c < 3 ? At(a, r, c) : At(b, r, c - 2);
  });
}

TEST(Moves, ConcatColumnsTakesAnyNumberOfParts) {
  std::vector<Var> parts;
  for (int i = 0; i < 20; ++i) parts.emplace_back(RandomTensor({3, 2}, i));
  const Tensor y = ConcatColumns(parts).value();
  ASSERT_EQ(y.shape(), (Shape{3, 40}));
  ExpectEach(y, 0, [&](int64_t r, int64_t c) {
    return At(parts[static_cast<size_t>(c / 2)].value(), r, c % 2);
  });
}

TEST(Moves, StackAddsADimension) {
  const std::vector<Var> parts = {RandomTensor({2, 3}, 1),
                                  RandomTensor({2, 3}, 2)};
  const Tensor y = Stack(parts).value();
  ASSERT_EQ(y.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(MaxDifference(y[0], parts[0].value()), 0);
  EXPECT_EQ(MaxDifference(y[1], parts[1].value()), 0);
}

TEST(Moves, TransposeLeadingSwapsTimeAndBatch) {
  const Tensor x = RandomTensor({2, 3, 4}, 1);
  const Tensor y = TransposeLeading(x).value();
  ASSERT_EQ(y.shape(), (Shape{3, 2, 4}));
  for (int64_t t = 0; t < 2; ++t) {
    for (int64_t b = 0; b < 3; ++b)
      EXPECT_EQ(MaxDifference(y[b][t], x[t][b]), 0);
  }
}

TEST(Moves, ReverseByLengthReversesEachRowByItsOwnLength) {
  const Tensor x = RandomTensor({4, 3, 2}, 1);
  const Tensor lengths = Lengths({4, 2, 0});
  const Tensor y = ReverseByLength(x, lengths).value();
  for (int64_t s = 0; s < 4; ++s) {
    EXPECT_EQ(MaxDifference(y[s][0], x[3 - s][0]), 0);
    EXPECT_EQ(MaxDifference(y[s][1], x[s < 2 ? 1 - s : s][1]), 0);
    EXPECT_EQ(MaxDifference(y[s][2], x[s][2]), 0);
  }
  EXPECT_EQ(MaxDifference(ReverseByLength(y, lengths).value(), x), 0);
}

TEST(Moves, RefuseWhatDoesNotFit) {
  const Tensor x = Tensor::Zeros({2, 3});
  ExpectShapeError([&] { Reshape(x, {4}); }, {"reshape", "[2, 3]", "[4]"});
  ExpectShapeError([&] { Slice(x, 1, 3); }, {"slice", "[2, 3]"});
  ExpectShapeError([&] { Columns(x, 1, 4); }, {"columns", "[2, 3]"});
  ExpectShapeError(
      [&] {
        ConcatColumns({x, Tensor::Zeros({3, 3})});
      },
      {"concat columns", "[2, 3]", "[3, 3]"});
  ExpectShapeError(
      [&] {
        ConcatColumns({Tensor::Zeros({2, 3, 1}), Tensor::Zeros({6, 1})});
      },
      {"concat columns", "[2, 3, 1]", "[6, 1]"});
  ExpectShapeError([&] { ConcatColumns({Tensor::Zeros({})}); },
                   {"concat columns"});
  ExpectShapeError([&] { ConcatColumns(std::span<const Var>()); },
                   {"concat columns"});
  ExpectShapeError(
      [&] {
        Stack(std::vector<Var>{x, Tensor::Zeros({3, 3})});
      },
      {"stack", "[2, 3]", "[3, 3]"});
  ExpectShapeError([&] { Stack({}); }, {"stack"});
  ExpectShapeError([&] { TransposeLeading(x); }, {"transpose", "[2, 3]"});
  const Tensor sequence = Tensor::Zeros({4, 2, 3});
  ExpectShapeError(
      [&] {
        ReverseByLength(sequence, Lengths({4, 4, 4}));
      },
      {"reverse", "[3]", "[2]"});
  ExpectShapeError(
      [&] {
        ReverseByLength(sequence, Lengths({4, 5}));
      },
      {"reverse", "length 5", "4"});
}

}  // namespace
}  // namespace heed::shape_test
