#include "heed/serve/cost.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(ExplanationPasses, CountsEachPassOfEachMethod) {
  AttributionOptions attribution;
  EXPECT_EQ(ExplanationPasses(100, 100, attribution), 1);
  attribution.methods = {"occlusion"};
  EXPECT_EQ(ExplanationPasses(100, 100, attribution), 10001);
  attribution.methods = {"saliency", "integrated_gradients", "smooth_grad"};
  attribution.steps = 10;
  attribution.samples = 5;
  EXPECT_EQ(ExplanationPasses(100, 100, attribution), 1 + 3 * 100 * 16);
  EXPECT_EQ(ExplanationPasses(100, 1, attribution), 1 + 3 * 16);
}

TEST(MinSeconds, IsBeyondWhatProcessorsDo) {
  EXPECT_LT(MinSeconds(1e9), 0.01);
  EXPECT_GT(MinSeconds(1e18), 1000);
}

TEST(RowsWithin, AreThoseOfTheLeastTime) {
  const double rows = RowsWithin(0.5, 1e6);
  EXPECT_NEAR(MinSeconds(rows * 1e6), 0.5, 1e-9);
  EXPECT_NEAR(RowsWithin(0.5, 1e7), rows / 10, 1e-3 * rows);
}

}  // namespace
}  // namespace heed
