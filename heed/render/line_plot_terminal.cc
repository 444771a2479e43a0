#include <algorithm>
#include <cmath>

#include "heed/base/at.h"
#include "heed/base/text.h"
#include "heed/render/dot_canvas.h"
#include "heed/render/line_plot.h"
#include "heed/render/plot_axes.h"
#include "heed/render/series_marks.h"
#include "heed/render/terminal.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr int kNarrowestPlot = 40;
constexpr int kWidest = 100;
constexpr int kRows = 16;  // target; rounded so that every tick is on a row

class TerminalPlot {
 public:
  TerminalPlot(std::span<const Series> series, const LinePlotOptions& options,
               const TerminalOptions& terminal)
      : series_(series),
        options_(options),
        terminal_(terminal),
        width_(std::clamp(terminal.width, kNarrowestPlot, kWidest)),
        axes_(MakeAxes(series, options, width_ / 12, 5)),
        label_columns_(WidestLabel(axes_.y)),
        rows_per_tick_(RowsPerTick(axes_.y)),
        canvas_(width_ - label_columns_ - 3, rows()) {}

  std::string Draw() {
    for (size_t i = 0; i < series_.size(); ++i) DrawLine(i);
    for (size_t i = 0; i < series_.size(); ++i) DrawMarkers(i);
    std::string out;
    if (!options_.title.empty()) {
      const std::string title = Ellipsize(VisibleToken(options_.title), width_);
      out += terminal::Strong(terminal_, title) + "\n";
    }
    if (!options_.y_label.empty()) {
      out += terminal::Quiet(
                 terminal_, Ellipsize(VisibleToken(options_.y_label), width_)) +
             "\n";
    }
    for (int row = 0; row < rows(); ++row) {
      out += terminal::Quiet(terminal_, YAxis(row)) +
             canvas_.Row(row, terminal_.colour) + "\n";
    }
    return out + XAxis() + Legend();
  }

 private:
  static int WidestLabel(const PlotAxis& axis) {
    int widest = 1;
    for (double tick : axis.ticks) {
      widest = std::max(widest, DisplayWidth(axis.Label(tick)));
    }
    return widest;
  }

  static int RowsPerTick(const PlotAxis& axis) {
    const auto intervals = static_cast<int>(axis.ticks.size()) - 1;
    return std::max((kRows + intervals / 2) / intervals, 2);
  }
  int rows() const {
    return (static_cast<int>(axes_.y.ticks.size()) - 1) * rows_per_tick_ + 1;
  }

  int DotX(double x) const {
    const int last = canvas_.dots_across() - 1;
    const auto dot = static_cast<int>(std::lround(axes_.x.Fraction(x) * last));
    return std::clamp(dot, 0, last);
  }
  // The ends of the axis are in the middle of the first and the last row.
  int DotY(double y) const {
    const double from_top = (1.0 - axes_.y.Fraction(y)) * (rows() - 1) * 4;
    const auto dot = static_cast<int>(std::lround(from_top + 1.5));
    return std::clamp(dot, 0, canvas_.dots_down() - 1);
  }

  void DrawLine(size_t index) {
    for (const auto& run : DrawableRuns(series_[index], options_)) {
      for (size_t i = 0; i + 1 < run.size(); ++i) {
        const int x = DotX(run[i].x);
        const int y = DotY(run[i].y);
        const int across = DotX(run[i + 1].x) - x;
        const int down = DotY(run[i + 1].y) - y;
        const int steps = std::max({std::abs(across), std::abs(down), 1});
        for (int k = 0; k <= steps; ++k) {
          const double part = static_cast<double>(k) / steps;
          canvas_.Dot(x + static_cast<int>(std::lround(across * part)),
                      y + static_cast<int>(std::lround(down * part)),
                      SeriesCodeOf(index));
        }
      }
    }
  }

  void DrawMarkers(size_t index) {
    for (const PlotPoint& point : MarkedPoints(series_[index], options_)) {
      canvas_.Mark(DotX(point.x), DotY(point.y), MarkerOf(index),
                   SeriesCodeOf(index));
    }
  }

  std::string YAxis(int row) const {
    for (double tick : axes_.y.ticks) {
      if (DotY(tick) / 4 != row) continue;
      return Pad(axes_.y.Label(tick), label_columns_, Align::kRight) + " ┤";
    }
    return std::string(static_cast<size_t>(label_columns_ + 1), ' ') + "│";
  }

  std::string XAxis() const {
    const int columns = canvas_.dots_across() / 2;
    std::vector<std::string> rule(static_cast<size_t>(columns), "─");
    std::string labels(static_cast<size_t>(columns), ' ');
    int free = 0;  // first unused column
    for (double tick : axes_.x.ticks) {
      const int column = DotX(tick) / 2;
      At(rule, column) = "┬";
      const std::string label = axes_.x.Label(tick);
      const int size = static_cast<int>(label.size());
      const int start =
          std::min(std::max(column - size / 2, 0), columns - size);
      if (start < free) continue;
      labels.replace(static_cast<size_t>(start), label.size(), label);
      free = start + size + 1;
    }
    const std::string margin(static_cast<size_t>(label_columns_ + 1), ' ');
    std::string line = margin + "└";
    for (const std::string& piece : rule) line += piece;
    std::string out = terminal::Quiet(terminal_, line) + "\n" +
                      terminal::Quiet(terminal_, margin + " " + labels) + "\n";
    if (!options_.x_label.empty()) {
      out += margin + " " +
             terminal::Quiet(terminal_, Pad(VisibleToken(options_.x_label),
                                            columns, Align::kCentre)) +
             "\n";
    }
    return out;
  }

  // Names side by side, on further lines if one is full.
  std::string Legend() const {
    const std::string margin(static_cast<size_t>(label_columns_ + 2), ' ');
    std::string out;
    int used = 0;
    for (size_t i = 0; i < series_.size(); ++i) {
      const int room = width_ - label_columns_ - 4;
      const std::string name = Ellipsize(VisibleToken(series_[i].name), room);
      const int columns = DisplayWidth(name) + 5;
      if (used > 0 && used + columns > width_) {
        out += "\n";
        used = 0;
      }
      if (used == 0) {
        out += margin;
        used = label_columns_ + 2;
      } else {
        out += "   ";
      }
      const std::string marker(MarkerOf(i));
      out += (terminal_.colour ? terminal::Foreground(SeriesCodeOf(i), marker)
                               : marker) +
             " " + name;
      used += columns;
    }
    return out.empty() ? out : out + "\n";
  }

  const std::span<const Series> series_;
  const LinePlotOptions& options_;
  const TerminalOptions terminal_;
  const int width_;
  const PlotAxes axes_;
  const int label_columns_;
  const int rows_per_tick_;
  DotCanvas canvas_;
};

}  // namespace

std::string TerminalLinePlot(std::span<const Series> series,
                             const LinePlotOptions& options,
                             const TerminalOptions& terminal) {
  return TerminalPlot(series, options, terminal).Draw();
}

}  // namespace heed
