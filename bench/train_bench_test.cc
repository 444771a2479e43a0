#include "bench/train_bench.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

TEST(TrainBench, FieldsFitTogether) {
  for (const char* model : {"fixed", "bahdanau", "luong", "transformer-tiny"}) {
    TrainBenchOptions options;
    options.model = model;
    options.batch = 2;
    options.src_len = 3;
    options.tgt_len = 2;
    options.vocab = 12;
    options.steps = 1;
    options.threads = 1;
    const TrainBenchResult r = BenchTraining(options);
    EXPECT_EQ(r.model, model);
    EXPECT_EQ(r.dtype, "f32");
    EXPECT_EQ(r.threads, 1);
    EXPECT_GT(r.ms_per_step, 0);
    EXPECT_NEAR(r.tokens_per_second, 2 * 2 / (r.ms_per_step / 1e3), 1e-3);
    EXPECT_GT(r.limit_gflops, 0);
    EXPECT_GT(r.peak_bytes, 0);
    EXPECT_GT(r.peak_rss_bytes, r.peak_bytes);
    EXPECT_NEAR(r.floor_ms, r.gflop_per_step / r.limit_gflops * 1e3, 1e-6);
  }
}

TEST(TrainBench, OperationsGrowWithTheTarget) {
  TrainBenchOptions options;
  options.batch = 1;
  options.src_len = 1;
  options.tgt_len = 1;
  options.vocab = 5;
  options.steps = 1;
  const double short_target = BenchTraining(options).gflop_per_step;
  options.tgt_len = 2;
  const double long_target = BenchTraining(options).gflop_per_step;
  EXPECT_GT(long_target, 1.2 * short_target);
  EXPECT_LT(long_target, 2 * short_target);
}

TEST(TrainBench, CountsEachWeightOfATransformerForItsRows) {
  constexpr double kWidth = 128;
  constexpr double kInner = 256;
  constexpr double kVocab = 12;
  constexpr double kBatch = 2;
  TrainBenchOptions options;
  options.model = "transformer-tiny";
  options.batch = 2;
  options.src_len = 3;
  options.tgt_len = 5;
  options.vocab = 12;
  options.steps = 1;
  const double square = kWidth * kWidth;
  const double feed_forward = 2 * kWidth * kInner;
  // Query, key, value and output projections; keys and values of the source.
  const double source = 4 * (4 * square + feed_forward) + 4 * 2 * square;
  const double target = 4 * (6 * square + feed_forward) + kWidth * kVocab;
  EXPECT_DOUBLE_EQ(BenchTraining(options).gflop_per_step,
                   6 * kBatch * (3 * source + 5 * target) / 1e9);
}

}  // namespace
}  // namespace heed
