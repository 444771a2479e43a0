#include "heed/metrics/spread.h"

#include <gtest/gtest.h>

#include <vector>

namespace heed {
namespace {

TEST(Spread, IsTheMeanAndTheDeviationOfASample) {
  const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(MeanOf(values), 5);
  EXPECT_DOUBLE_EQ(ComputeSpread(values).mean, 5);
  EXPECT_NEAR(ComputeSpread(values).deviation, 2.13809, 1e-5);
}

TEST(Spread, OneValueHasNoDeviationAndNoneHasZeros) {
  EXPECT_EQ(ComputeSpread(std::vector<double>{3}).mean, 3);
  EXPECT_EQ(ComputeSpread(std::vector<double>{3}).deviation, 0);
  EXPECT_EQ(ComputeSpread({}).mean, 0);
}

}  // namespace
}  // namespace heed
