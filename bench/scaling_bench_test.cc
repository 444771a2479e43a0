#include "bench/scaling_bench.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Loops = std::vector<LoopProfile::Loop>;

double Free(int64_t /*threads*/) { return 0; }

TEST(Scaling, WhatIsOutsideOfLoopsStaysSerial) {
  const Loops loops = {{-1, 8, 6}};
  EXPECT_DOUBLE_EQ(PredictSeconds(loops, 10, 1, Free), 10);
  EXPECT_DOUBLE_EQ(PredictSeconds(loops, 10, 2, Free), 7);
  EXPECT_DOUBLE_EQ(PredictSeconds(loops, 10, 8, Free), 4.75);
  EXPECT_DOUBLE_EQ(PredictSeconds(loops, 10, 64, Free), 4.75);
}

TEST(Scaling, ALastRoundOfFewChunksCountsAsWhole) {
  const Loops loops = {{-1, 5, 10}};
  EXPECT_DOUBLE_EQ(PredictSeconds(loops, 10, 4, Free), 4);
}

TEST(Scaling, LoopsWithinALoopShareItsIdleThreads) {
  // Two chunks, each with a loop of two chunks and as much outside of it.
  const Loops loops = {{-1, 2, 8}, {0, 2, 2}, {0, 2, 2}};
  EXPECT_DOUBLE_EQ(PredictSeconds(loops, 8, 2, Free), 4);
  EXPECT_DOUBLE_EQ(PredictSeconds(loops, 8, 4, Free), 3);
}

TEST(Scaling, LoopsCostTimeOnSeveralThreads) {
  const Loops loops = {{-1, 4, 8}, {-1, 1, 1}};
  const auto cost = [](int64_t threads) { return 0.5 * threads; };
  EXPECT_DOUBLE_EQ(PredictSeconds(loops, 10, 1, cost), 10);
  EXPECT_DOUBLE_EQ(PredictSeconds(loops, 10, 4, cost), 2 + 2 + 2);
}

TEST(Scaling, MeasuresAndPredictsASmallModel) {
  TrainBenchOptions options;
  options.model = "transformer-tiny";
  options.batch = 64;
  options.src_len = 16;
  options.tgt_len = 16;
  options.vocab = 50;
  options.steps = 1;
  const ScalingResult result = BenchScaling(options, 2 * ThreadCount());
  ASSERT_GE(result.rows.size(), 2U);
  EXPECT_EQ(result.rows.front().speedup, 1);
  EXPECT_TRUE(result.rows.front().measured);
  EXPECT_GT(result.loops, 100);
  EXPECT_GE(result.serial_share, 0);
  EXPECT_LT(result.serial_share, 0.9);
  for (const ScalingRow& row : result.rows) {
    EXPECT_GT(row.tokens_per_second, 0);
    EXPECT_LE(row.threads, 2 * ThreadCount());
    EXPECT_EQ(row.measured, row.threads <= ThreadCount());
  }
}

}  // namespace
}  // namespace heed
