#include "heed/nn/transformer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/nn/positions.h"

namespace heed::transformer_test {
namespace {

double LargestOf(const Tensor& x) {
  double largest = 0;
  for (const double value : x.ToVector<double>())
    largest = std::max(largest, std::abs(value));
  return largest;
}

TEST(Linear, BlocksSideBySideStartAsEachWouldAlone) {
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  const Linear both(Scope(set, "both"), 64, {64, 16}, {});
  const Tensor& weight = both.weight().value();
  // The maximum of this many uniform numbers is close to the limit.
  EXPECT_NEAR(LargestOf(weight.Columns(0, 64)), std::sqrt(6.0 / 128), 2e-3);
  EXPECT_NEAR(LargestOf(weight.Columns(64, 80)), std::sqrt(6.0 / 80), 2e-3);
}

TEST(Linear, HasABiasUnlessItIsNotWanted) {
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  const Linear with(Scope(set, "with"), 3, 2, {});
  const Linear without(Scope(set, "without"), 3, 2, {}, false);
  EXPECT_NE(with.bias(), nullptr);
  EXPECT_EQ(without.bias(), nullptr);
  EXPECT_EQ(set.all().size(), 3U);
  EXPECT_EQ(LargestOf(without({}, Tensor::Zeros({1, 3}, DType::kF64)).value()),
            0);
}

TEST(Sinusoids, AreThoseOfThePaper) {
  const Tensor table =
      Sinusoids(PositionKind::kSinusoidal, 3, 5, 6, DType::kF64);
  kernels::ExpectEach(table, 1e-15, [](int64_t r, int64_t c) {
    const double angle = static_cast<double>(3 + r) /
                         std::pow(10000, static_cast<double>(c / 2 * 2) / 6.0);
    return c % 2 == 0 ? std::sin(angle) : std::cos(angle);
  });
}

TEST(Sinusoids, ConcatenatedOnesAreThePapersInAnotherOrder) {
  const Tensor paper =
      Sinusoids(PositionKind::kSinusoidal, 0, 4, 6, DType::kF64);
  const Tensor concat =
      Sinusoids(PositionKind::kSinusoidalConcat, 0, 4, 6, DType::kF64);
  kernels::ExpectEach(concat, 0, [&](int64_t r, int64_t c) {
    return kernels::At(paper, r, c < 3 ? 2 * c : 2 * (c - 3) + 1);
  });
}

TEST(Sinusoids, OfTensor2TensorReachTheLowestFrequency) {
  const Tensor table =
      Sinusoids(PositionKind::kSinusoidalT2t, 0, 4, 6, DType::kF64);
  kernels::ExpectEach(table, 1e-15, [](int64_t r, int64_t c) {
    const double angle = static_cast<double>(r) *
                         std::pow(10000, -static_cast<double>(c % 3) / 2.0);
    return c < 3 ? std::sin(angle) : std::cos(angle);
  });
}

TEST(Positions, AreAddedFromTheirOffset) {
  for (const PositionKind kind :
       {PositionKind::kSinusoidal, PositionKind::kLearned}) {
    ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
    const Positions positions(Scope(set, "positions"), kind, 7, 4, {},
                              DType::kF64);
    const Tensor zeros = Tensor::Zeros({2, 7, 4}, DType::kF64);
    const Tensor all = positions.AddTo({}, zeros, 0).value();
    const Tensor later = Tensor::Zeros({2, 3, 4}, DType::kF64);
    const Tensor part = positions.AddTo({}, later, 2).value();
    for (int64_t b = 0; b < 2; ++b) {
      EXPECT_EQ(MaxDifference(part[b], all[b].Slice(2, 5)), 0);
    }
  }
}

TEST(Positions, RefuseAnOddNumberOfSinusoids) {
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  EXPECT_THROW(Positions(Scope(set, "positions"), PositionKind::kSinusoidal, 4,
                         5, {}, DType::kF64),
               ConfigError);
}

TransformerOptions Small() {
  TransformerOptions options;
  options.layers = 1;
  options.width = 8;
  options.feed_forward = 12;
  options.heads = 2;
  return options;
}

TEST(TransformerStack, RefusesSizesThatDoNotFit) {
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  TransformerOptions options = Small();
  options.heads = 3;
  EXPECT_THROW(TransformerStack(Scope(set, "a"), options), ConfigError);
  options = Small();
  options.layers = 0;
  EXPECT_THROW(TransformerStack(Scope(set, "b"), options), ConfigError);
}

TEST(TransformerStack, NormBeforeKeepsTheSumUntouched) {
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  TransformerOptions options = Small();
  options.pre_norm = true;
  const TransformerStack stack(Scope(set, "stack"), options);
  // Sublayers with zero output leave the input unchanged.
  for (const char* name : {"self_attention.output", "feed_forward.out"}) {
    Parameter* weight =
        set.Find(std::string("stack.layers.0.") + name + ".weight");
    weight->mutable_value().Fill(0);
    weight->Changed();
  }
  const Tensor x = RandomTensor({2, 3, 8}, 1);
  EXPECT_EQ(MaxDifference(stack({}, x).value(), x), 0);
}

TEST(TransformerStack, NormBehindNormalisesEveryPosition) {
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  const TransformerStack stack(Scope(set, "stack"), Small());
  const Tensor y = stack({}, RandomTensor({2, 3, 8}, 1)).value();
  for (int64_t r = 0; r < y.rows(); ++r) {
    double sum = 0;
    double squares = 0;
    for (int64_t c = 0; c < 8; ++c) {
      sum += kernels::At(y, r, c);
      squares += kernels::At(y, r, c) * kernels::At(y, r, c);
    }
    EXPECT_NEAR(sum, 0, 1e-12);
    EXPECT_NEAR(squares, 8, 1e-3);
  }
}

using Parts = std::vector<std::pair<int64_t, int64_t>>;

/// Runs positions [begin, end) part by part, and compares with all at once.
/// f64 steps by the general memory, f32 by the kernels of single steps.
void ExpectPartsEqualTheWhole(const TransformerOptions& options, DType dtype,
                              const Parts& parts) {
  ParameterSet set(1, dtype, kernels::Precision::kNative);
  const TransformerStack stack(Scope(set, "stack"), options);
  const Tensor x = RandomTensor({2, 7, 8}, 1).To(dtype);
  const Tensor source = RandomTensor({2, 4, 6}, 2).To(dtype);
  DecoderState whole(2);
  DecoderState state(2);
  whole.whole = true;
  if (options.source > 0) {
    TransformerStack::SetSource(source, {}, whole);
    TransformerStack::SetSource(source, {}, state);
  }
  const Tensor all = stack({}, x, {}, &whole).value();
  for (const auto& [begin, end] : parts) {
    Tensor part({2, end - begin, 8}, dtype);
    Tensor expected(part.shape(), dtype);
    for (int64_t b = 0; b < 2; ++b) {
      part[b].CopyFrom(x[b].Slice(begin, end));
      expected[b].CopyFrom(all[b].Slice(begin, end));
    }
    const Tensor y = stack({}, part, {}, &state).value();
    EXPECT_LT(MaxDifference(y, expected), dtype == DType::kF64 ? 1e-13 : 1e-5);
    if (options.source == 0) continue;
    EXPECT_EQ(state.weights.shape(), (Shape{2, 4}));
  }
  EXPECT_EQ(state.position, 7);
}

TEST(TransformerStack, SeveralPositionsInOneStepEqualOneByOne) {
  TransformerOptions options = Small();
  options.causal = true;
  options.layers = 2;
  for (const int64_t source : {0, 6}) {
    options.source = source;
    for (const Mask& mask : {Mask(), SlidingWindow(2, 0), SlidingWindow(0, 3),
                             SlidingWindow(100, 100)}) {
      options.mask = mask;
      for (const DType dtype : {DType::kF64, DType::kF32}) {
        ExpectPartsEqualTheWhole(options, dtype, {{0, 1}, {1, 4}, {4, 7}});
        ExpectPartsEqualTheWhole(options, dtype, {{0, 5}, {5, 6}, {6, 7}});
      }
    }
  }
}

}  // namespace
}  // namespace heed::transformer_test
