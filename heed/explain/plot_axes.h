// What both forms of a line plot share: scales, ticks and the drawn points.
#ifndef HEED_EXPLAIN_PLOT_AXES_H_
#define HEED_EXPLAIN_PLOT_AXES_H_

#include <span>
#include <string>
#include <vector>

#include "heed/explain/line_plot.h"

namespace heed {

/// A scale from one round number to another.
struct Axis {
  double low = 0.0;
  double high = 1.0;
  double step = 1.0;
  std::vector<double> ticks;

  /// Where `value` lies: 0 at low, 1 at high.
  double Fraction(double value) const { return (value - low) / (high - low); }
  /// `tick` as text, with the digits that its step needs.
  std::string Label(double tick) const;
};

/// An axis over [min, max] with about `intervals` intervals of 1, 2 or 5 times
/// a power of ten. Starts at zero if that costs less than three fifths of it.
Axis MakeAxis(double min, double max, int intervals);

struct PlotAxes {
  Axis x;
  Axis y;
};

/// Axes that hold every point; 0 to 1 without any.
PlotAxes MakeAxes(std::span<const Series> series, int x_intervals,
                  int y_intervals);

struct PlotPoint {
  double x = 0.0;
  double y = 0.0;
};

/// The runs of neighbouring points that can be drawn.
/// Throws: ShapeError if the series has not as many x as y.
std::vector<std::vector<PlotPoint>> DrawableRuns(const Series& series);

/// Every how many points of a run of `size` a marker stands.
size_t MarkerStride(size_t size);

}  // namespace heed

#endif  // HEED_EXPLAIN_PLOT_AXES_H_
