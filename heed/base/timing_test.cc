#include "heed/base/timing.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Timing, MedianIsTheMiddleOfTheSortedValues) {
  EXPECT_EQ(Median({7}), 7);
  EXPECT_EQ(Median({9, 1, 5}), 5);
  EXPECT_EQ(Median({4, 3, 2, 1}), 3);
}

TEST(Timing, SecondsSinceDoNotDecrease) {
  const Clock::time_point begin = Clock::now();
  const double first = SecondsSince(begin);
  EXPECT_GE(first, 0);
  EXPECT_GE(SecondsSince(begin), first);
}

}  // namespace
}  // namespace heed
