// Line plots, such as quality by sentence length or loss by step.
#ifndef HEED_RENDER_LINE_PLOT_H_
#define HEED_RENDER_LINE_PLOT_H_

#include <span>
#include <string>
#include <vector>

#include "heed/render/terminal.h"

namespace heed {

/// One line of a plot. Points that are not finite leave a gap.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
};

struct LinePlotOptions {
  std::string title;
  std::string x_label;
  std::string y_label;
  /// Logarithmic axes; points that are not above 0 leave a gap.
  bool logarithmic_x = false;
  bool logarithmic_y = false;
  /// Values that the x axis includes besides the points.
  std::vector<double> x_holds = {};
  /// Name each line at its end.
  bool named = true;
};

/// One of several plots of the same runs; series i belongs to run i.
struct LinePlotPanel {
  std::vector<Series> series;
  LinePlotOptions options;
};

/// SVG picture of series: each line has its own colour and marker, and its name
/// at its end. Follows the reader's light or dark setting.
/// Throws: ShapeError if a series has different numbers of x and y.
std::string LinePlotSvg(std::span<const Series> series,
                        const LinePlotOptions& options);

/// Plots in rows of two below a title. If there are several `names`, a legend
/// maps colour and marker i to names[i] and lines have no names.
/// Throws: ShapeError if a series has different numbers of x and y.
std::string LinePlotsSvg(std::span<const LinePlotPanel> panels,
                         std::span<const std::string> names,
                         const std::string& title);

/// Series drawn with braille dots, at most terminal.width columns wide (but at
/// least 40); each line ends with a newline.
/// Throws: ShapeError if a series has different numbers of x and y.
std::string TerminalLinePlot(std::span<const Series> series,
                             const LinePlotOptions& options,
                             const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_RENDER_LINE_PLOT_H_
