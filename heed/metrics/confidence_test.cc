#include "heed/metrics/confidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/base/rng.h"

namespace heed {
namespace {

TEST(ConfidenceOfMean, IsThatOfStudentsTable) {
  // t of 4 degrees of freedom at 97.5 %: 2.776445.
  const std::vector<double> numbers = {1, 2, 3, 4, 5};
  const MeanInterval interval = ConfidenceOfMean(numbers);
  EXPECT_DOUBLE_EQ(interval.mean, 3);
  EXPECT_NEAR(interval.half_width, 2.776445 * std::sqrt(2.5 / 5), 1e-5);
  EXPECT_TRUE(interval.Contains(1.5));
  EXPECT_FALSE(interval.Contains(0));
  // 2.131847 at 95 %.
  EXPECT_NEAR(ConfidenceOfMean(numbers, 0.9).half_width,
              2.131847 * std::sqrt(2.5 / 5), 1e-5);
}

TEST(ConfidenceOfMean, PValueIsAtTheEdgeOfTheInterval) {
  // t = 2.776445 of 4 degrees of freedom is p = 5 %.
  std::vector<double> numbers = {1, 2, 3, 4, 5};
  const double edge = ConfidenceOfMean(numbers).half_width;
  for (double& number : numbers) number += edge - 3;
  EXPECT_NEAR(ConfidenceOfMean(numbers).p_value, 0.05, 1e-6);
  for (double& number : numbers) number = -number;
  EXPECT_NEAR(ConfidenceOfMean(numbers).p_value, 0.05, 1e-6);
  EXPECT_EQ(ConfidenceOfMean(std::vector<double>{-1, 1}).p_value, 1);
  EXPECT_EQ(ConfidenceOfMean(std::vector<double>{2, 2}).p_value, 0);
  EXPECT_EQ(ConfidenceOfMean(std::vector<double>{2}).p_value, 1);
}

TEST(ConfidenceOfMean, OfFewerThanTwoIsUnbounded) {
  EXPECT_TRUE(std::isinf(ConfidenceOfMean({}).half_width));
  EXPECT_TRUE(std::isinf(ConfidenceOfMean(std::vector<double>{2}).half_width));
  EXPECT_EQ(ConfidenceOfMean(std::vector<double>{2, 2}).half_width, 0);
}

TEST(ConfidenceOfMean, HoldsTheMeanAsOftenAsItSays) {
  Rng rng(4);
  int held = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> numbers;
    for (int k = 0; k < 12; ++k) numbers.push_back(2 + rng.Normal());
    held += ConfidenceOfMean(numbers).Contains(2) ? 1 : 0;
  }
  EXPECT_NEAR(held / 2000.0, 0.95, 0.015);
}

}  // namespace
}  // namespace heed
