#include "heed/metrics/forecast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/errors.h"
#include "heed/base/rng.h"

namespace heed {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

TEST(ForecastErrors, MeansOverAllStepsAndColumns) {
  ForecastErrors errors(2, 2, {10, 1});
  errors.Add(Floats{1, 2, 3, 4}, Floats{0, 2, 5, 4});
  errors.Add(Floats{0, 0, 0, 0}, Floats{1, 1, 1, -1});
  EXPECT_EQ(errors.windows(), 2);
  EXPECT_DOUBLE_EQ(errors.Total().mse, (1 + 4 + 4) / 8.0);
  EXPECT_DOUBLE_EQ(errors.Total().mae, (1 + 2 + 4) / 8.0);
  EXPECT_EQ(errors.window_losses(), (Doubles{1.25, 1}));
  EXPECT_DOUBLE_EQ(errors.BySteps()[0].mse, 3 / 4.0);
  EXPECT_DOUBLE_EQ(errors.BySteps()[1].mae, 4 / 4.0);
  EXPECT_DOUBLE_EQ(errors.ByColumns()[0].mse, 7 / 4.0);
  EXPECT_DOUBLE_EQ(errors.ByColumns()[1].mae, 2 / 4.0);
}

TEST(ForecastErrors, OwnUnitsScaleWithTheDeviation) {
  ForecastErrors errors(1, 2, {10, 0.5});
  errors.Add(Floats{1, 2}, Floats{0, 0});
  EXPECT_DOUBLE_EQ(errors.ByColumnsInOwnUnits()[0].mse, 100);
  EXPECT_DOUBLE_EQ(errors.ByColumnsInOwnUnits()[0].mae, 10);
  EXPECT_DOUBLE_EQ(errors.TotalInOwnUnits().mse, (100 + 1) / 2.0);
  EXPECT_DOUBLE_EQ(errors.TotalInOwnUnits().mae, (10 + 1) / 2.0);
}

TEST(ForecastErrors, NoWindowsGiveZeroAndNoNan) {
  const ForecastErrors errors(3, 2);
  EXPECT_EQ(errors.Total().mse, 0);
  EXPECT_EQ(errors.BySteps()[2].mae, 0);
}

TEST(ForecastErrors, HalfWindowsAndWhatIsNotANumberAreRefused) {
  ForecastErrors errors(2, 1);
  EXPECT_THROW(errors.Add(Floats{1, 2, 3}, Floats{1, 2, 3}), ShapeError);
  EXPECT_THROW(errors.Add(Floats{1, 2}, Floats{1, 2, 3, 4}), ShapeError);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(errors.Add(Floats{1, nan}, Floats{1, 2}), NumericError);
  EXPECT_THROW(ForecastErrors(2, 2, {1}), ShapeError);
}

TEST(NaiveForecast, RepeatsTheLastRow) {
  EXPECT_EQ(NaiveForecast(Floats{1, 2, 3, 4}, 2, 1, 3),
            (Floats{3, 4, 3, 4, 3, 4}));
}

TEST(NaiveForecast, RepeatsTheLastSeason) {
  EXPECT_EQ(NaiveForecast(Floats{9, 1, 2, 3}, 1, 3, 5),
            (Floats{1, 2, 3, 1, 2}));
  EXPECT_THROW(NaiveForecast(Floats{1, 2}, 1, 3, 5), ConfigError);
  EXPECT_THROW(NaiveForecast(Floats{1, 2}, 1, 0, 5), ConfigError);
}

TEST(Autoregression, FindsTheEquationOfTheSeries) {
  // Column 0: x_t = 0.5 + 1.2 x_{t-1} - 0.9 x_{t-2}; column 1 is constant.
  Floats rows = {1, 3, 0, 3};
  for (size_t t = 2; t < 60; ++t) {
    rows.push_back(0.5F + 1.2F * rows[2 * t - 2] - 0.9F * rows[2 * t - 4]);
    rows.push_back(3);
  }
  const std::span<const float> known(rows.data(), 80);
  const Autoregression model(known, 2, 2);
  const Floats forecast = model.Forecast(known, 10);
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_NEAR(forecast[i], rows[80 + i], 1e-3) << i;
  }
}

TEST(Autoregression, StaysFiniteWhereTheSeriesExplodes) {
  Floats rows = {1};
  while (rows.size() < 30) rows.push_back(3 * rows.back());
  const Autoregression model(rows, 1, 1);
  EXPECT_TRUE(std::isfinite(model.Forecast(rows, 1000).back()));
}

TEST(Autoregression, RefusesAnOrderThatTheRowsDoNotCarry) {
  EXPECT_THROW(Autoregression(Floats(10), 1, 0), ConfigError);
  EXPECT_THROW(Autoregression(Floats(10), 1, 5), ConfigError);
  EXPECT_THROW(Autoregression(Floats(10), 1, 4).Forecast(Floats(3), 1),
               ConfigError);
}

TEST(SkillScore, OneIsPerfectAndZeroAsGoodAsTheBaseline) {
  EXPECT_DOUBLE_EQ(SkillScore(0, 2), 1);
  EXPECT_DOUBLE_EQ(SkillScore(2, 2), 0);
  EXPECT_DOUBLE_EQ(SkillScore(4, 2), -1);
  EXPECT_EQ(SkillScore(0, 0), 0);
  EXPECT_EQ(SkillScore(1, 0), -std::numeric_limits<double>::infinity());
}

TEST(StudentTail, HasTheValuesOfTheTables) {
  EXPECT_NEAR(StudentTail(12.706, 1), 0.025, 1e-5);
  EXPECT_NEAR(StudentTail(4.303, 2), 0.025, 1e-5);
  EXPECT_NEAR(StudentTail(4.541, 3), 0.01, 2e-5);
  EXPECT_NEAR(StudentTail(2.764, 10), 0.01, 2e-5);
  EXPECT_NEAR(StudentTail(2.539, 19), 0.01, 2e-5);
  EXPECT_NEAR(StudentTail(-2.539, 19), 0.99, 2e-5);
  EXPECT_EQ(StudentTail(0, 7), 0.5);
  EXPECT_EQ(StudentTail(std::numeric_limits<double>::infinity(), 4), 0);
}

/// Losses of `n` windows: 1 + noise.
Doubles NoisyLosses(size_t n, double mean, uint64_t seed) {
  Rng rng(seed);
  Doubles losses(n);
  for (double& loss : losses) loss = mean + 0.3 * rng.Normal();
  return losses;
}

TEST(Comparison, AClearGainIsBetterAndItsOppositeIsNot) {
  const Doubles good = NoisyLosses(400, 0.5, 1);
  const Doubles bad = NoisyLosses(400, 1, 2);
  const ForecastComparison gain = CompareForecasts(good, bad, 10);
  EXPECT_TRUE(gain.better);
  EXPECT_EQ(gain.groups, 20);
  EXPECT_NEAR(gain.skill, 0.5, 0.05);
  EXPECT_TRUE(gain.Verdict("naive").starts_with("better than naive (skill 0."))
      << gain.Verdict("naive");
  const ForecastComparison loss = CompareForecasts(bad, good, 10);
  EXPECT_FALSE(loss.better);
  EXPECT_GT(loss.p_value, 0.99);
  EXPECT_TRUE(loss.Verdict("naive").starts_with("not better than naive"));
}

TEST(Comparison, EqualLossesAreNotBetter) {
  const Doubles losses = NoisyLosses(100, 1, 3);
  const ForecastComparison equal = CompareForecasts(losses, losses, 2);
  EXPECT_FALSE(equal.better);
  EXPECT_EQ(equal.p_value, 0.5);
  EXPECT_EQ(equal.skill, 0);
}

TEST(Comparison, AConstantGainIsCertain) {
  const ForecastComparison gain =
      CompareForecasts(Doubles(10, 1.0), Doubles(10, 2.0), 1);
  EXPECT_TRUE(gain.better);
  EXPECT_EQ(gain.p_value, 0);
}

TEST(Comparison, FewWindowsSayNothing) {
  const ForecastComparison few =
      CompareForecasts(Doubles(8, 0.1), Doubles(8, 1.0), 3);
  EXPECT_FALSE(few.better);
  EXPECT_EQ(few.groups, 0);
  EXPECT_EQ(few.Verdict("naive"),
            "too few windows to say whether better than naive");
  EXPECT_FALSE(CompareForecasts({}, {}, 1).better);
}

TEST(Comparison, LosesNothingToTheOverlapOfWindows) {
  // Differences with expectation 0 in which 24 neighbours share rows, as
  // windows do. About 10 of 1000 such series may be called better. A test that
  // took the 480 windows as independent would call hundreds better.
  constexpr size_t kOverlap = 24, kWindows = 480;
  int called = 0;
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    Rng rng(seed);
    Doubles noise(kWindows + kOverlap), losses(kWindows);
    for (double& x : noise) x = rng.Normal();
    for (size_t i = 0; i < kWindows; ++i) {
      for (size_t k = 0; k < kOverlap; ++k) losses[i] += noise[i + k];
    }
    const ForecastComparison luck =
        CompareForecasts(losses, Doubles(kWindows), kOverlap);
    called += luck.better ? 1 : 0;
  }
  EXPECT_LE(called, 25);
}

TEST(Comparison, DifferentWindowsAreRefused) {
  EXPECT_THROW(CompareForecasts(Doubles(3), Doubles(4), 1), ShapeError);
  EXPECT_THROW(CompareForecasts(Doubles(3), Doubles(3), 0), ConfigError);
}

TEST(PValueText, HasNoDigitsBelowATenThousandth) {
  EXPECT_EQ(PValueText(0.5), "0.5000");
  EXPECT_EQ(PValueText(0.01234), "0.0123");
  EXPECT_EQ(PValueText(1e-4), "0.0001");
  EXPECT_EQ(PValueText(9.9e-5), "< 0.0001");
  EXPECT_EQ(PValueText(0), "< 0.0001");
}

TEST(Comparison, TheVerdictSaysTheProbability) {
  ForecastComparison comparison;
  comparison.groups = 5;
  comparison.skill = 0.7;
  comparison.p_value = 0;
  comparison.better = true;
  EXPECT_EQ(comparison.Verdict("naive"),
            "better than naive (skill 0.700, p < 0.0001)");
  comparison.p_value = 0.25;
  comparison.better = false;
  EXPECT_EQ(comparison.Verdict("naive"),
            "not better than naive (skill 0.700, p = 0.2500)");
}

}  // namespace
}  // namespace heed
