#include "heed/train/schedule.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

OptimizerConfig Config(const std::string& schedule, int64_t warmup) {
  OptimizerConfig config;
  config.learning_rate = 0.8;
  config.schedule = schedule;
  config.warmup = warmup;
  return config;
}

TEST(LearningRate, RisesLinearlyInEverySchedule) {
  for (const char* name :
       {"constant", "inverse_sqrt", "step_halving", "cosine"}) {
    OptimizerConfig config = Config(name, 4);
    config.halve_after = 100;
    config.halve_every = 100;
    EXPECT_DOUBLE_EQ(LearningRate(config, 1, 1000), 0.2) << name;
    EXPECT_DOUBLE_EQ(LearningRate(config, 3, 1000), 0.6) << name;
    EXPECT_DOUBLE_EQ(LearningRate(config, 4, 1000), 0.8) << name;
  }
}

TEST(LearningRate, WarmUpThatTheRunWouldNotOutlastIsATenthOfIt) {
  EXPECT_EQ(WarmUp(Config("linear", 1000), 40), 4);
  EXPECT_EQ(WarmUp(Config("linear", 1000), 1000), 100);
  EXPECT_EQ(WarmUp(Config("linear", 1000), 1001), 1000);
  EXPECT_EQ(WarmUp(Config("linear", 1000), 3), 1);
  EXPECT_EQ(WarmUp(Config("linear", 1000), 0), 1000);
  EXPECT_DOUBLE_EQ(LearningRate(Config("linear", 1000), 4, 40), 0.8);
  EXPECT_DOUBLE_EQ(LearningRate(Config("linear", 1000), 22, 40), 0.4);
}

TEST(LearningRate, ConstantStays) {
  EXPECT_EQ(LearningRate(Config("constant", 0), 1, 0), 0.8);
  EXPECT_EQ(LearningRate(Config("constant", 5), 1000000, 10), 0.8);
}

TEST(LearningRate, InverseSqrtFallsFromTheWarmUp) {
  EXPECT_DOUBLE_EQ(LearningRate(Config("inverse_sqrt", 4), 16, 0), 0.4);
  EXPECT_DOUBLE_EQ(LearningRate(Config("inverse_sqrt", 4), 400, 0), 0.08);
  EXPECT_DOUBLE_EQ(LearningRate(Config("inverse_sqrt", 0), 1, 0), 0.8);
  EXPECT_DOUBLE_EQ(LearningRate(Config("inverse_sqrt", 0), 4, 0), 0.4);
}

TEST(LearningRate, HalvesAfterAndThenEvery) {
  OptimizerConfig config = Config("step_halving", 0);
  config.halve_after = 10;
  config.halve_every = 5;
  EXPECT_EQ(LearningRate(config, 10, 0), 0.8);
  EXPECT_EQ(LearningRate(config, 11, 0), 0.4);
  EXPECT_EQ(LearningRate(config, 15, 0), 0.4);
  EXPECT_EQ(LearningRate(config, 16, 0), 0.2);
  EXPECT_LT(LearningRate(config, int64_t{1} << 60, 0), 1e-300);
}

TEST(LearningRate, CosineEndsAtZero) {
  OptimizerConfig config = Config("cosine", 10);
  EXPECT_DOUBLE_EQ(LearningRate(config, 10, 110), 0.8);
  EXPECT_DOUBLE_EQ(LearningRate(config, 60, 110), 0.4);
  EXPECT_NEAR(LearningRate(config, 110, 110), 0, 1e-15);
  EXPECT_NEAR(LearningRate(config, 500, 110), 0, 1e-15);
  config.decay_steps = 30;  // ends before the run
  EXPECT_DOUBLE_EQ(LearningRate(config, 20, 110), 0.4);
}

}  // namespace
}  // namespace heed
