#include "course/attention_demonstrations.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

TEST(Saturation, ComesWithTheFeaturesUnlessScoresAreScaled) {
  const Saturation plain = MeasureSaturation(1024, false, 1);
  const Saturation scaled = MeasureSaturation(1024, true, 1);
  EXPECT_GT(plain.largest, 0.9);
  EXPECT_LT(scaled.largest, 0.2);
  EXPECT_LT(plain.entropy, 0.3);
  EXPECT_GT(scaled.entropy, 3);
  EXPECT_LT(plain.gradient, 0.7 * scaled.gradient);
}

TEST(Saturation, DoesNotDependOnTheFeaturesOfScaledScores) {
  const Saturation few = MeasureSaturation(64, true, 1);
  const Saturation many = MeasureSaturation(1024, true, 1);
  EXPECT_NEAR(few.largest, many.largest, 0.02);
  EXPECT_NEAR(few.entropy, many.entropy, 0.1);
}

TEST(Saturation, OfOneFeatureIsTheSameWithAndWithoutScale) {
  EXPECT_EQ(MeasureSaturation(1, true, 1).gradient,
            MeasureSaturation(1, false, 1).gradient);
}

TEST(Equivariance, HoldsUnlessPositionsAreKnown) {
  const std::vector<Equivariance> all = MeasureEquivariance(7, 1);
  ASSERT_GT(all.size(), 1u);
  EXPECT_EQ(all[0].positions, "none");
  EXPECT_LT(all[0].difference, 1e-14);
  for (size_t i = 1; i < all.size(); ++i) {
    EXPECT_GT(all[i].difference, 1e-3) << all[i].positions;
  }
}

TEST(Equivariance, GivesTheWeightsOfBothOrders) {
  for (const Equivariance& e : MeasureEquivariance(5, 2)) {
    double farthest = 0;
    for (int64_t t = 0; t < 5; ++t) {
      double sum = 0;
      for (int64_t s = 0; s < 5; ++s) {
        const double a = e.weights.row<double>(t)[s];
        sum += a;
        farthest =
            std::max(farthest, std::abs(a - e.shuffled.row<double>(t)[s]));
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
    if (e.positions == "none") {
      EXPECT_LT(farthest, 1e-14);
    } else {
      EXPECT_GT(farthest, 1e-4) << e.positions;
    }
  }
}

}  // namespace
}  // namespace heed
