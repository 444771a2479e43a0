#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "heed/base/text.h"
#include "heed/render/line_plot.h"
#include "heed/render/plot_axes.h"
#include "heed/render/terminal.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr int kNarrowestPlot = 40;
constexpr int kWidest = 100;
constexpr int kRows = 16;  // wanted; rounded so that every tick meets a row

// As in the SVG, told apart by shape as well as by colour; of medium lightness,
// for dark and light terminals.
constexpr std::array<std::string_view, 5> kMarkers = {"●", "■", "▲", "◆", "▼"};
constexpr std::array<int, 7> kSeriesCodes = {32, 166, 36, 169, 136, 244, 98};

// Characters of a grid, each with a colour (-1: none); braille dots below them.
class Canvas {
 public:
  Canvas(int columns, int rows)
      : columns_(columns),
        rows_(rows),
        cells_(static_cast<size_t>(columns) * static_cast<size_t>(rows)) {}

  int dots_across() const { return columns_ * 2; }
  int dots_down() const { return rows_ * 4; }

  void Dot(int x, int y, int colour) {
    // Bits of U+2800 by row and column of the dot.
    constexpr uint8_t kBits[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    Cell& cell = At(x / 2, y / 4);
    cell.dots = static_cast<uint8_t>(cell.dots | kBits[y % 4][x % 2]);
    cell.colour = colour;
  }

  void Mark(int x, int y, std::string_view glyph, int colour) {
    Cell& cell = At(x / 2, y / 4);
    cell.glyph = glyph;
    cell.colour = colour;
  }

  std::string Row(int row, bool colour) const {
    std::string out;
    for (int column = 0; column < columns_; ++column) {
      const Cell& cell = cells_[static_cast<size_t>(row * columns_ + column)];
      std::string text = " ";
      if (!cell.glyph.empty()) {
        text = cell.glyph;
      } else if (cell.dots != 0) {
        text = {'\xE2', static_cast<char>(0xA0 + (cell.dots >> 6)),
                static_cast<char>(0x80 + (cell.dots & 0x3F))};
      }
      out += colour && cell.colour >= 0
                 ? terminal::Foreground(cell.colour, text)
                 : text;
    }
    return out;
  }

 private:
  struct Cell {
    std::string_view glyph;
    uint8_t dots = 0;
    int colour = -1;
  };
  Cell& At(int column, int row) {
    return cells_[static_cast<size_t>(row * columns_ + column)];
  }

  int columns_;
  int rows_;
  std::vector<Cell> cells_;
};

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
  // The ends of the axis lie in the middle of the first and the last row.
  int DotY(double y) const {
    const double from_top = (1.0 - axes_.y.Fraction(y)) * (rows() - 1) * 4;
    const auto dot = static_cast<int>(std::lround(from_top + 1.5));
    return std::clamp(dot, 0, canvas_.dots_down() - 1);
  }

  int ColourOf(size_t index) const {
    return kSeriesCodes[index % kSeriesCodes.size()];
  }
  std::string_view MarkerOf(size_t index) const {
    return kMarkers[index % kMarkers.size()];
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
                      ColourOf(index));
        }
      }
    }
  }

  void DrawMarkers(size_t index) {
    for (const PlotPoint& point : MarkedPoints(series_[index], options_)) {
      canvas_.Mark(DotX(point.x), DotY(point.y), MarkerOf(index),
                   ColourOf(index));
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
    int free = 0;  // first column that no label uses
    for (double tick : axes_.x.ticks) {
      const int column = DotX(tick) / 2;
      rule[static_cast<size_t>(column)] = "┬";
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

  // Names side by side, in further lines where one is full.
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
      out += (terminal_.colour ? terminal::Foreground(ColourOf(i), marker)
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
  Canvas canvas_;
};

}  // namespace

std::string TerminalLinePlot(std::span<const Series> series,
                             const LinePlotOptions& options,
                             const TerminalOptions& terminal) {
  return TerminalPlot(series, options, terminal).Draw();
}

}  // namespace heed
