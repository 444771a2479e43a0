// Scales, ticks and drawable points, shared by both forms of line plots.
#ifndef HEED_RENDER_PLOT_AXES_H_
#define HEED_RENDER_PLOT_AXES_H_

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "heed/render/line_plot.h"

namespace heed {

/// A scale from one round number to another.
struct PlotAxis {
  double low = 0.0;
  double high = 1.0;
  double step = 1.0;
  bool logarithmic = false;
  std::vector<double> ticks;

  /// Position of `value`: 0 at low, 1 at high.
  double Fraction(double value) const {
    return logarithmic ? std::log(value / low) / std::log(high / low)
                       : (value - low) / (high - low);
  }
  /// Text of `tick` with the digits that its step requires.
  std::string Label(double tick) const;
};

/// An axis over [min, max] with about `intervals` intervals of 1, 2 or 5 times
/// a power of ten. It starts at zero if that takes less than three fifths of
/// it, or if min equals max.
PlotAxis MakeAxis(double min, double max, int intervals);

/// A logarithmic axis over [min, max], 0 < min. Ticks are powers of the first
/// base among 2, 4 (both only for numbers from 1), 10, 100, … that gives at
/// most `intervals` intervals.
PlotAxis MakeLogarithmicAxis(double min, double max, int intervals);

struct PlotAxes {
  PlotAxis x;
  PlotAxis y;
};

/// Axes that include every point; without points from 0 (logarithmic: 0.1) to
/// 1.
PlotAxes MakeAxes(std::span<const Series> series,
                  const LinePlotOptions& options, int x_intervals,
                  int y_intervals);

struct PlotPoint {
  double x = 0.0;
  double y = 0.0;
};

/// Runs of consecutive points that can be drawn.
/// Throws: ShapeError if the series has different numbers of x and y.
std::vector<std::vector<PlotPoint>> DrawableRuns(
    const Series& series, const LinePlotOptions& options);

/// Points with markers: all points of a series of up to 40, about 10 of a
/// longer one, regardless of gaps.
std::vector<PlotPoint> MarkedPoints(const Series& series,
                                    const LinePlotOptions& options);

}  // namespace heed

#endif  // HEED_RENDER_PLOT_AXES_H_
