// Curves: quality by sentence length, loss by step.
#ifndef HEED_RENDER_LINE_PLOT_H_
#define HEED_RENDER_LINE_PLOT_H_

#include <span>
#include <string>
#include <vector>

#include "heed/render/terminal.h"

namespace heed {

/// One line of a plot. A point that is not finite leaves a gap.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
};

struct LinePlotOptions {
  std::string title;
  std::string x_label;
  std::string y_label;
  /// Equal factors take equal space; a point that is not above 0 leaves a gap.
  bool logarithmic_x = false;
  bool logarithmic_y = false;
  /// What the x axis holds besides the points.
  std::vector<double> x_holds = {};
  /// Whether each line is named at its end.
  bool named = true;
};

/// One of several plots of the same runs: series i is of run i in each.
struct LinePlotPanel {
  std::vector<Series> series;
  LinePlotOptions options;
};

/// The series as an SVG picture: each line in a colour and with a marker of its
/// own, named at its end. Follows the reader's light or dark setting.
/// Throws: ShapeError if a series has not as many x as y.
std::string LinePlotSvg(std::span<const Series> series,
                        const LinePlotOptions& options);

/// Plots in rows of two under a title. If there are several `names`, a legend
/// gives colour and marker i to names[i]; series are not named otherwise.
/// Throws: ShapeError if a series has not as many x as y.
std::string LinePlotsSvg(std::span<const LinePlotPanel> panels,
                         std::span<const std::string> names,
                         const std::string& title);

/// The series drawn with braille dots, at most terminal.width columns wide (but
/// 40 at least); each line ends with a newline.
/// Throws: ShapeError if a series has not as many x as y.
std::string TerminalLinePlot(std::span<const Series> series,
                             const LinePlotOptions& options,
                             const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_RENDER_LINE_PLOT_H_
