#include "heed/metrics/rank_correlation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "heed/base/errors.h"

namespace heed {
namespace {

using Scores = std::vector<double>;

TEST(RankCorrelation, EqualOrdersAreOneAndReversedOnesMinusOne) {
  const Scores a = {0.1, 5, 2, 100};
  const Scores same = {1, 3, 2, 4};
  const Scores reversed = {4, 2, 3, 1};
  EXPECT_DOUBLE_EQ(*SpearmanCorrelation(a, same), 1);
  EXPECT_DOUBLE_EQ(*KendallCorrelation(a, same), 1);
  EXPECT_DOUBLE_EQ(*SpearmanCorrelation(a, reversed), -1);
  EXPECT_DOUBLE_EQ(*KendallCorrelation(a, reversed), -1);
}

// Computed by hand: ranks 1 2 3 4 and 1 3 2 4.
TEST(RankCorrelation, OneSwappedPairOfFour) {
  const Scores a = {1, 2, 3, 4};
  const Scores b = {10, 30, 20, 40};
  EXPECT_DOUBLE_EQ(*SpearmanCorrelation(a, b), 1 - 6.0 * 2 / (4 * 15));
  EXPECT_DOUBLE_EQ(*KendallCorrelation(a, b), 4.0 / 6);
}

// Computed by hand: ranks 1.5 1.5 3 4 and 1 2 3 4.
TEST(RankCorrelation, TiesShareTheirRanks) {
  const Scores a = {7, 7, 8, 9};
  const Scores b = {1, 2, 3, 4};
  EXPECT_NEAR(*SpearmanCorrelation(a, b), 4.5 / std::sqrt(4.5 * 5), 1e-12);
  EXPECT_NEAR(*KendallCorrelation(a, b), 5 / std::sqrt(5.0 * 6), 1e-12);
}

TEST(RankCorrelation, NothingToOrder) {
  EXPECT_FALSE(SpearmanCorrelation(Scores{1, 1}, Scores{1, 2}));
  EXPECT_FALSE(KendallCorrelation(Scores{1, 2}, Scores{3, 3}));
  EXPECT_FALSE(SpearmanCorrelation(Scores{1}, Scores{1}));
  EXPECT_FALSE(KendallCorrelation(Scores{}, Scores{}));
}

TEST(RankCorrelation, RefusesWhatDoesNotFit) {
  EXPECT_THROW(SpearmanCorrelation(Scores{1}, Scores{1, 2}), ShapeError);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(KendallCorrelation(Scores{1, nan}, Scores{1, 2}), NumericError);
}

}  // namespace
}  // namespace heed
