#include "heed/render/plot_axes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/errors.h"

namespace heed {
namespace {

std::vector<std::string> Labels(const PlotAxis& axis) {
  std::vector<std::string> labels;
  for (double tick : axis.ticks) labels.push_back(axis.Label(tick));
  return labels;
}

using Strings = std::vector<std::string>;

TEST(PlotAxis, HasRoundTicks) {
  EXPECT_EQ(Labels(MakeAxis(3, 47, 5)),
            (Strings{"0", "10", "20", "30", "40", "50"}));
  EXPECT_EQ(Labels(MakeAxis(-1, 1, 4)),
            (Strings{"-1.0", "-0.5", "0.0", "0.5", "1.0"}));
  EXPECT_EQ(Labels(MakeAxis(0, 0.03, 3)),
            (Strings{"0.00", "0.01", "0.02", "0.03"}));
}

TEST(PlotAxis, StartsAtZeroOnlyIfThatIsNear) {
  EXPECT_DOUBLE_EQ(MakeAxis(20, 40, 5).low, 0.0);
  EXPECT_DOUBLE_EQ(MakeAxis(35, 40, 5).low, 35.0);
  EXPECT_DOUBLE_EQ(MakeAxis(-40, -20, 5).high, 0.0);
}

TEST(PlotAxis, ShortensLargeNumbers) {
  EXPECT_EQ(Labels(MakeAxis(0, 300000, 3)),
            (Strings{"0", "100k", "200k", "300k"}));
}

TEST(PlotAxis, HoldsItsValues) {
  for (double min : {-1e9, -3.0, 0.0, 1e-9, 7.0, 1e15, 1e199}) {
    for (double range : {0.0, 1e-12, 0.3, 5.0, 1e6, 1e200}) {
      const PlotAxis axis = MakeAxis(min, min + range, 5);
      EXPECT_LE(axis.Fraction(min + range), 1.0 + 1e-6) << min << " " << range;
      EXPECT_GE(axis.Fraction(min), -1e-6) << min << " " << range;
      EXPECT_GE(axis.ticks.size(), 2u);
      EXPECT_LE(axis.ticks.size(), 9u);
    }
  }
}

TEST(LogarithmicAxis, HasPowersAsTicks) {
  EXPECT_EQ(Labels(MakeLogarithmicAxis(16, 100, 8)),
            (Strings{"16", "32", "64", "128"}));
  EXPECT_EQ(Labels(MakeLogarithmicAxis(16, 4096, 4)),
            (Strings{"16", "64", "256", "1024", "4096"}));
  EXPECT_EQ(Labels(MakeLogarithmicAxis(0.03, 2000, 6)),
            (Strings{"0.01", "0.1", "1", "10", "100", "1000", "10000"}));
  EXPECT_EQ(Labels(MakeLogarithmicAxis(0.5, 8, 6)),
            (Strings{"0.1", "1", "10"}));
  EXPECT_EQ(Labels(MakeLogarithmicAxis(4, 4, 5)), (Strings{"4", "8"}));
}

TEST(LogarithmicAxis, GivesEqualFactorsEqualSpace) {
  const PlotAxis axis = MakeLogarithmicAxis(1, 100, 2);
  EXPECT_DOUBLE_EQ(axis.Fraction(1), 0.0);
  EXPECT_DOUBLE_EQ(axis.Fraction(10), 0.5);
  EXPECT_DOUBLE_EQ(axis.Fraction(100), 1.0);
}

TEST(PlotAxes, WithoutPointsAreZeroToOne) {
  const PlotAxes axes = MakeAxes({}, {}, 5, 5);
  EXPECT_DOUBLE_EQ(axes.x.low, 0.0);
  EXPECT_DOUBLE_EQ(axes.y.high, 1.0);
}

TEST(DrawableRuns, BreakAtPointsThatAreNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto runs =
      DrawableRuns({"a", {1, 2, 3, 4, 5}, {1, 1, nan, 1, HUGE_VAL}}, {});
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].size(), 2u);
  EXPECT_DOUBLE_EQ(runs[1][0].x, 4.0);
}

TEST(DrawableRuns, BreakAtZeroWhereTheAxisIsLogarithmic) {
  LinePlotOptions options;
  options.logarithmic_y = true;
  const Series series = {"a", {0, 1, 2}, {1, 0, 3}};
  EXPECT_EQ(DrawableRuns(series, {}).size(), 1u);
  EXPECT_EQ(DrawableRuns(series, options).size(), 2u);
}

TEST(DrawableRuns, NeedAsManyXAsY) {
  EXPECT_THROW(DrawableRuns({"a", {1, 2}, {1}}, {}), ShapeError);
}

TEST(MarkedPoints, AreFewOfLongLines) {
  Series series = {"a", {}, {}};
  for (int i = 0; i < 1000; ++i) {
    if (i == 40) {
      EXPECT_EQ(MarkedPoints(series, {}).size(), 40u);
    }
    series.x.push_back(i);
    series.y.push_back(i);
  }
  EXPECT_EQ(MarkedPoints(series, {}).size(), 10u);
  EXPECT_EQ(MarkedPoints(series, {})[1].x, 100);
}

TEST(MarkedPoints, AreFewOfLongLinesWithGaps) {
  Series series = {"a", {}, {}};
  for (int i = 0; i < 400; ++i) {
    series.x.push_back(i);
    series.y.push_back(i % 5 == 0 ? std::nan("") : i);
  }
  EXPECT_EQ(MarkedPoints(series, {}).size(), 10u);
}

TEST(PlotAxis, OfOneValueShowsIt) {
  EXPECT_EQ(Labels(MakeAxis(0.001, 0.001, 3)),
            (Strings{"0.0000", "0.0005", "0.0010", "0.0015"}));
  EXPECT_EQ(Labels(MakeAxis(0, 0, 2)), (Strings{"0.0", "0.5", "1.0"}));
  EXPECT_EQ(Labels(MakeAxis(-4, -4, 3)), (Strings{"-6", "-4", "-2", "0"}));
}

TEST(MakeAxes, ContainTheRequestedValues) {
  const std::vector<Series> series = {{"a", {30, 39}, {1, 2}}};
  LinePlotOptions options;
  options.x_holds = {0, 60};
  const PlotAxes axes = MakeAxes(series, options, 6, 4);
  EXPECT_EQ(axes.x.low, 0);
  EXPECT_EQ(axes.x.high, 60);
}

}  // namespace
}  // namespace heed
