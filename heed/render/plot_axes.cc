#include "heed/render/plot_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/errors.h"

namespace heed {
namespace {

constexpr double kLargest = 1e200;  // keeps all sums and differences finite

bool IsDrawable(double value, bool logarithmic) {
  return std::abs(value) <= kLargest && (!logarithmic || value > 1 / kLargest);
}

double RoundStep(double rough) {
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double digit = rough / power;
  if (digit <= 1.0) return power;
  if (digit <= 2.0) return 2.0 * power;
  return digit <= 5.0 ? 5.0 * power : 10.0 * power;
}

}  // namespace

std::string PlotAxis::Label(double tick) const {
  if (logarithmic) return fmt::format("{:g}", tick);
  const double largest = std::max(std::abs(low), std::abs(high));
  if (largest >= 1e8 || largest < 1e-4) return fmt::format("{:.3g}", tick);
  if (largest >= 1e5)
    return tick == 0.0 ? "0" : fmt::format("{:g}k", tick / 1e3);
  const int digits = static_cast<int>(-std::floor(std::log10(step) + 1e-9));
  return fmt::format("{:.{}f}", tick, std::clamp(digits, 0, 9));
}

PlotAxis MakeAxis(double min, double max, int intervals) {
  if (min >= 0.0 && min < 0.6 * max) min = 0.0;
  if (max <= 0.0 && max > 0.6 * min) max = 0.0;
  // One value, or values that differ by less than their precision.
  const double precision = std::max(std::abs(min), std::abs(max)) * 1e-6;
  if (max - min <= precision) {
    if (max == 0) {
      max = 1;
    } else {
      const double around = std::abs(max) / 2;
      min -= around;
      max += around;
    }
    if (min > 0) min = 0;
    if (max < 0) max = 0;
  }
  PlotAxis axis;
  axis.step = RoundStep((max - min) / intervals);
  const double first = std::floor(min / axis.step + 1e-9);
  const double last = std::ceil(max / axis.step - 1e-9);
  axis.low = first * axis.step;
  axis.high = last * axis.step;
  for (double i = first; i <= last; ++i)
    axis.ticks.push_back(i * axis.step + 0.0);
  return axis;
}

PlotAxis MakeLogarithmicAxis(double min, double max, int intervals) {
  PlotAxis axis;
  axis.logarithmic = true;
  const auto first_power = [&](double base) {
    return std::floor(std::log(min) / std::log(base) + 1e-9);
  };
  const auto last_power = [&](double base) {
    return std::ceil(std::log(max) / std::log(base) - 1e-9);
  };
  double base = min < 1 ? 10 : 2;
  while (last_power(base) - first_power(base) > intervals) {
    base = base == 2 ? 4 : base == 4 ? 10 : base * 10;
  }
  const double first = first_power(base);
  const double last = std::max(last_power(base), first + 1);
  for (double i = first; i <= last; ++i) {
    axis.ticks.push_back(std::pow(base, i));
  }
  axis.low = axis.ticks.front();
  axis.high = axis.ticks.back();
  return axis;
}

PlotAxes MakeAxes(std::span<const Series> series,
                  const LinePlotOptions& options, int x_intervals,
                  int y_intervals) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  PlotPoint min = {kInfinity, kInfinity};
  PlotPoint max = {-kInfinity, -kInfinity};
  for (const Series& line : series) {
    for (const auto& run : DrawableRuns(line, options)) {
      for (const PlotPoint& point : run) {
        min = {std::min(min.x, point.x), std::min(min.y, point.y)};
        max = {std::max(max.x, point.x), std::max(max.y, point.y)};
      }
    }
  }
  for (double x : options.x_holds) {
    min.x = std::min(min.x, x);
    max.x = std::max(max.x, x);
  }
  if (min.y > max.y) {
    min = {options.logarithmic_x ? 0.1 : 0.0,
           options.logarithmic_y ? 0.1 : 0.0};
    max = {1.0, 1.0};
  }
  const auto make = [](bool logarithmic, double low, double high, int count) {
    return logarithmic ? MakeLogarithmicAxis(low, high, count)
                       : MakeAxis(low, high, count);
  };
  return {make(options.logarithmic_x, min.x, max.x, x_intervals),
          make(options.logarithmic_y, min.y, max.y, y_intervals)};
}

std::vector<std::vector<PlotPoint>> DrawableRuns(
    const Series& series, const LinePlotOptions& options) {
  if (series.x.size() != series.y.size()) {
    throw ShapeError("line plot: series '{}' has {} x and {} y", series.name,
                     series.x.size(), series.y.size());
  }
  std::vector<std::vector<PlotPoint>> runs;
  bool inside = false;
  for (size_t i = 0; i < series.x.size(); ++i) {
    const bool drawable = IsDrawable(series.x[i], options.logarithmic_x) &&
                          IsDrawable(series.y[i], options.logarithmic_y);
    if (drawable && !inside) runs.emplace_back();
    if (drawable) runs.back().push_back({series.x[i], series.y[i]});
    inside = drawable;
  }
  return runs;
}

std::vector<PlotPoint> MarkedPoints(const Series& series,
                                    const LinePlotOptions& options) {
  constexpr size_t kAllMarked = 40;
  constexpr size_t kSparseMarkers = 10;
  std::vector<PlotPoint> points;
  for (const auto& run : DrawableRuns(series, options)) {
    points.insert(points.end(), run.begin(), run.end());
  }
  const size_t size = points.size();
  if (size <= kAllMarked) return points;
  const size_t stride = (size + kSparseMarkers - 1) / kSparseMarkers;
  std::vector<PlotPoint> marked;
  for (size_t i = 0; i < size; i += stride) marked.push_back(points[i]);
  return marked;
}

}  // namespace heed
