#include "heed/ops/heads.h"

#include <gtest/gtest.h>

#include "heed/autograd/testing.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"

namespace heed::heads_test {
namespace {

using kernels::At;
using kernels::ExpectEach;

class Heads : public testing::TestWithParam<DType> {
 protected:
  Tensor Random(const Shape& shape) const {
    return RandomTensor(shape, 1, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(DTypes, Heads,
                         testing::Values(DType::kF32, DType::kF64),
                         [](const auto& info) {
                           return std::string(Name(info.param));
                         });

TEST_P(Heads, AreSplitIntoRowsAndRepeatedInARow) {
  constexpr int64_t kBatch = 2;
  constexpr int64_t kHeads = 3;
  for (const int64_t steps : {1, 3, 17, 65}) {
    for (const int64_t cols : {1, 15, 63}) {
      for (const int64_t repeat : {1, 2}) {
        const Tensor x = Random({kBatch, steps, kHeads * cols});
        const Tensor y = SplitHeads(x, kHeads, repeat).value();
        ASSERT_EQ(y.shape(), (Shape{kBatch * kHeads * repeat, steps, cols}));
        ExpectEach(y, 0, [&](int64_t r, int64_t c) {
          const int64_t key_head = r / steps / repeat;
          const int64_t b = key_head / kHeads;
          const int64_t h = key_head % kHeads;
          return At(x, b * steps + r % steps, h * cols + c);
        });
      }
    }
  }
}

TEST_P(Heads, MergedAreWhatWasSplit) {
  const Tensor x = Random({3, 17, 4 * 5});
  EXPECT_EQ(MaxDifference(MergeHeads(SplitHeads(x, 4), 4).value(), x), 0);
}

TEST_P(Heads, OfColumnsAreThoseOfACopy) {
  const Tensor x = Random({2, 3, 10}).Columns(1, 9);
  EXPECT_EQ(MaxDifference(SplitHeads(x, 2, 3).value(),
                          SplitHeads(x.Clone(), 2, 3).value()),
            0);
  EXPECT_EQ(
      MaxDifference(MergeHeads(x, 2).value(), MergeHeads(x.Clone(), 2).value()),
      0);
}

TEST_P(Heads, BroadcastRowGivesEveryBatchRowTheSame) {
  const Tensor row = Random({5});
  const Tensor y = BroadcastRow(row, 3).value();
  ASSERT_EQ(y.shape(), (Shape{3, 1, 5}));
  ExpectEach(y, 0, [&](int64_t, int64_t c) { return At(row, 0, c); });
}

TEST_P(Heads, HeadDotsAreTheFormula) {
  for (const auto& sizes :
       std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {8, 8}, {3, 65}}) {
    const int64_t heads = sizes.first;
    const int64_t features = sizes.second;
    const Tensor x = Random({2, 150, heads * features});
    const Tensor w = Random({heads * features});
    const Tensor y = HeadDots(x, w, heads).value();
    ASSERT_EQ(y.shape(), (Shape{2, 150, heads}));
    ExpectEach(y, 1e-5, [&](int64_t r, int64_t h) {
      double sum = 0;
      for (int64_t d = h * features; d < (h + 1) * features; ++d) {
        sum += At(x, r, d) * At(w, 0, d);
      }
      return sum;
    });
  }
}

TEST(HeadsGradient, IsThatOfDifferences) {
  using Inputs = std::span<const Var>;
  ExpectGradientOf([](Inputs in) { return HeadDots(in[0], in[1], 3); },
                   {RandomTensor({2, 4, 15}, 1), RandomTensor({15}, 2)});
  ExpectGradientOf([](Inputs in) { return SplitHeads(in[0], 3); },
                   {RandomTensor({2, 4, 6}, 1)});
  ExpectGradientOf([](Inputs in) { return SplitHeads(in[0], 2, 3); },
                   {RandomTensor({2, 4, 6}, 1)});
  ExpectGradientOf([](Inputs in) { return MergeHeads(in[0], 3); },
                   {RandomTensor({6, 4, 2}, 1)});
  ExpectGradientOf([](Inputs in) { return BroadcastRow(in[0], 3); },
                   {RandomTensor({5}, 1)});
}

TEST(Heads, OfNothingAreNothing) {
  for (const Shape& shape : {Shape{0, 3, 4}, {2, 0, 4}, {2, 3, 0}}) {
    Tape tape;
    const Var x = tape.Leaf(Tensor::Zeros(shape));
    const Var y = MergeHeads(SplitHeads(x, 2), 2);
    EXPECT_EQ(y.shape(), shape);
    tape.Backward(y);
    EXPECT_EQ(tape.Gradient(x).shape(), shape);
  }
  Tape tape;
  const Var row = tape.Leaf(RandomTensor({4}, 1));
  const Var y = BroadcastRow(row, 0);
  EXPECT_EQ(y.shape(), (Shape{0, 1, 4}));
  tape.Backward(y);
  EXPECT_EQ(tape.Gradient(row).ToVector<double>(), std::vector<double>(4, 0));
}

TEST(Heads, RefuseWhatDoesNotFit) {
  const Tensor x = Tensor::Zeros({5, 3, 8});
  ExpectShapeError([&] { SplitHeads(x, 3); },
                   {"split heads", "3 heads", "[5, 3, 8]"});
  ExpectShapeError([&] { SplitHeads(x, 0); },
                   {"split heads", "0 heads", "[5, 3, 8]"});
  ExpectShapeError([&] { SplitHeads(x, 2, 0); },
                   {"split heads", "repeated", "[5, 3, 8]"});
  ExpectShapeError(
      [&] {
        SplitHeads(Tensor::Zeros({3, 8}), 2);
      },
      {"split heads", "[3, 8]"});
  ExpectShapeError([&] { MergeHeads(x, 2); },
                   {"merge heads", "2 heads", "[5, 3, 8]"});
  ExpectShapeError([&] { MergeHeads(x, -1); },
                   {"merge heads", "-1 heads", "[5, 3, 8]"});
  ExpectShapeError([&] { HeadDots(x, Tensor::Zeros({8}), 3); },
                   {"head dots", "3 heads", "[5, 3, 8]"});
  ExpectShapeError([&] { HeadDots(x, Tensor::Zeros({7}), 2); },
                   {"head dots", "[5, 3, 8]", "[7]"});
  ExpectShapeError([&] { BroadcastRow(x, 2); }, {"broadcast row", "[5, 3, 8]"});
}

}  // namespace
}  // namespace heed::heads_test
