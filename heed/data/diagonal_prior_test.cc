#include "heed/data/diagonal_prior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

namespace heed {
namespace {

/// Parameters: target words T, source words S, and tension.
class DiagonalPriorSizes
    : public testing::TestWithParam<std::tuple<int, int, double>> {};

TEST_P(DiagonalPriorSizes, SeriesAreTheSumsOverAllWords) {
  const auto [T, S, tension] = GetParam();
  const DiagonalPrior prior = {T, S, tension};
  for (int t = 1; t <= T; ++t) {
    double sum = 0;
    double feature = 0;
    for (int s = 1; s <= S; ++s) {
      const double h = -std::abs(1.0 * s / S - 1.0 * t / T);
      EXPECT_EQ(prior.Feature(s, t), h);
      sum += std::exp(tension * h);
      feature += std::exp(tension * h) * h;
    }
    EXPECT_NEAR(prior.Normalizer(t), sum, 1e-10 * sum);
    EXPECT_NEAR(prior.ExpectedFeature(t), feature / sum, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, DiagonalPriorSizes,
    testing::Values(std::tuple(1, 1, 4.0), std::tuple(1, 7, 4.0),
                    std::tuple(7, 1, 4.0), std::tuple(5, 5, 14.0),
                    std::tuple(6, 9, 0.1), std::tuple(9, 6, 2.5),
                    std::tuple(3, 1000, 0.1), std::tuple(40, 37, 8.0)));

TEST(DiagonalPrior, TheExpectedFeatureIsTheSlopeOfTheLogNormalizer) {
  constexpr double kStep = 1e-5;
  for (const double tension : {0.5, 4.0, 12.0}) {
    const auto log_z = [](double at) {
      return std::log(DiagonalPrior{8, 11, at}.Normalizer(3));
    };
    const double slope =
        (log_z(tension + kStep) - log_z(tension - kStep)) / (2 * kStep);
    EXPECT_NEAR((DiagonalPrior{8, 11, tension}.ExpectedFeature(3)), slope,
                1e-8);
  }
}

}  // namespace
}  // namespace heed
