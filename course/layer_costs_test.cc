#include "course/layer_costs.h"

#include <gtest/gtest.h>

#include <vector>

#include "course/self_attention.h"
#include "heed/autograd/testing.h"

namespace heed {
namespace {

CostOptions Small() {
  CostOptions options;
  options.width = 32;
  options.batch = 2;
  options.seconds = 0;
  return options;
}

TEST(Cost, CountsAsManyOperationsWhereLengthIsWidth) {
  const Cost at = MeasureCost(32, Small());
  EXPECT_DOUBLE_EQ(at.recurrence_gflop, at.attention_gflop);
  EXPECT_DOUBLE_EQ(at.recurrence_gflop, 2 * 12 * 32 * 32 * 32 / 1e9);
  EXPECT_DOUBLE_EQ(at.recurrence_gflop, 2 * at.convolution_gflop);
  EXPECT_GT(at.recurrence_ms, 0);
  EXPECT_GT(at.attention_ms, 0);
  EXPECT_GT(at.convolution_ms, 0);
  const Cost longer = MeasureCost(64, Small());
  EXPECT_GT(longer.attention_gflop, longer.recurrence_gflop);
}

TEST(Cost, OfTrainingIsThatOfThreePasses) {
  CostOptions options = Small();
  const Cost forward = MeasureCost(8, options);
  options.backward = true;
  const Cost both = MeasureCost(8, options);
  EXPECT_DOUBLE_EQ(both.attention_gflop, 3 * forward.attention_gflop);
  EXPECT_GT(both.recurrence_ms, 0);
}

TEST(Crossing, LiesBetweenTwoMeasuredLengths) {
  std::vector<Cost> costs = {
      {.length = 16, .recurrence_ms = 4, .attention_ms = 1},
      {.length = 64, .recurrence_ms = 16, .attention_ms = 64}};
  // The ratio of the times grows from 1/4 to 4.
  EXPECT_NEAR(Crossing(costs).value_or(0), 32, 1e-9);
  costs[1].attention_ms = 15;
  EXPECT_FALSE(Crossing(costs).has_value());
  EXPECT_FALSE(Crossing({}).has_value());
}

TEST(DecodeCost, KeepsAStateOrTheWholeContext) {
  const DecodeCost few = MeasureDecode(8, Small());
  const DecodeCost many = MeasureDecode(64, Small());
  EXPECT_EQ(few.recurrence_bytes, 32 * 4);
  EXPECT_EQ(many.recurrence_bytes, few.recurrence_bytes);
  EXPECT_EQ(few.attention_bytes, 8 * 2 * 32 * 4);
  EXPECT_EQ(many.attention_bytes, 8 * few.attention_bytes);
  EXPECT_GT(few.recurrence_ms, 0);
  EXPECT_GT(few.attention_ms, 0);
}

/// The timed decoding step equals the layer on whole sequences.
TEST(SelfAttention, ReadsTheSameFromACache) {
  AttentionSpec spec;
  spec.heads = 2;
  spec.query = spec.key = spec.value = 8;
  spec.mask = Causal();
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  const SelfAttention all(set, spec);
  const Tensor x = RandomTensor({2, 5, 8}, 3);
  const Tensor expected = all({}, x, WantWeights::kNo).context.value();
  AttentionSpec free = spec;
  free.mask = {};
  ParameterSet same(1, DType::kF64, kernels::Precision::kNative);
  const SelfAttention step(same, free);
  Memory memory;
  for (int64_t t = 0; t < 5; ++t) {
    Tensor word({2, 1, 8}, DType::kF64);
    for (int64_t b = 0; b < 2; ++b) word[b].CopyFrom(x[b].Slice(t, t + 1));
    memory = step.Remember({}, std::move(memory), word);
    const Tensor read = step.Read({}, word, memory).value();
    for (int64_t b = 0; b < 2; ++b) {
      EXPECT_LT(MaxDifference(read[b], expected[b].Slice(t, t + 1)), 1e-12);
    }
  }
}

}  // namespace
}  // namespace heed
