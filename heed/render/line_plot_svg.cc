#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "heed/render/line_plot.h"
#include "heed/render/markup.h"
#include "heed/render/plot_axes.h"
#include "heed/render/series_marks.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kWidth = 800;
constexpr double kHeight = 470;
constexpr double kTickFont = 12;
constexpr double kSeriesFont = 13;
constexpr double kNameSpacing = 18;
constexpr int kNameColumns = 28;

constexpr std::string_view kLightStyle =
    ".paper{fill:#fff}.title{fill:#101418;font-weight:600}"
    ".label{fill:#444d57}.tick{fill:#5b6570}.grid{stroke:#e4e9ef}"
    ".base{stroke:#8a94a0}.line{fill:none;stroke-width:2.2;"
    "stroke-linejoin:round;stroke-linecap:round}"
    ".mark{stroke:#fff;stroke-width:1.4}.name{font-weight:600}";
constexpr std::string_view kDarkStyle =
    ".paper{fill:#10151d}.title{fill:#f2f5f9}.label{fill:#b4becb}"
    ".tick{fill:#93a0b0}.grid{stroke:#222c3a}.base{stroke:#5d6a7a}"
    ".mark{stroke:#10151d}";

std::string NameOf(const Series& series) {
  return Ellipsize(VisibleToken(series.name), kNameColumns);
}

// Spreads the labels from their `wanted` positions to at least kNameSpacing
// apart, within [top, bottom] if they fit.
std::vector<double> SpreadLabels(const std::vector<double>& wanted, double top,
                                 double bottom) {
  std::vector<size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(
      order, [&](size_t a, size_t b) { return wanted[a] < wanted[b]; });
  std::vector<double> placed(wanted.size());
  double next = top;
  for (size_t i : order) {
    placed[i] = std::max(wanted[i], next);
    next = placed[i] + kNameSpacing;
  }
  double limit = bottom;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    placed[*i] = std::min(placed[*i], limit);
    limit = placed[*i] - kNameSpacing;
  }
  return placed;
}

/// Style of all plots in a document.
std::string PlotStyle() {
  std::string light(kLightStyle);
  std::string dark(kDarkStyle);
  for (size_t i = 0; i < kSeriesColours.size(); ++i) {
    constexpr auto kRule =
        ".s{0} .line{{stroke:{1}}}.s{0} .mark,.s{0} .name{{fill:{1}}}";
    light += fmt::format(kRule, i, kSeriesColours[i].light);
    dark += fmt::format(kRule, i, kSeriesColours[i].dark);
  }
  return fmt::format(
      "<style>\nsvg{{font-family:{}}}{}\n"
      "@media (prefers-color-scheme:dark){{{}}}\n</style>\n"
      "<rect class='paper' width='100%' height='100%'/>",
      kFontFamily, light, dark);
}

class SvgPlot {
 public:
  SvgPlot(std::span<const Series> series, const LinePlotOptions& options)
      : series_(series),
        options_(options),
        axes_(MakeAxes(series, options, 8, 6)) {
    double tick = 0;
    for (double value : axes_.y.ticks) {
      tick = std::max(tick, TextWidth(axes_.y.Label(value), kTickFont));
    }
    double name = 0;
    for (const Series& line : series) {
      if (!options.named) break;
      name = std::max(name, TextWidth(NameOf(line), kSeriesFont));
    }
    left_ = 24 + tick + 10;
    right_ = kWidth - 24 - (name > 0 ? name + 16 : 0);
    top_ = 30 + (options.title.empty() ? 0 : 34) +
           (options.y_label.empty() ? 0 : 22);
    bottom_ = kHeight - (options.x_label.empty() ? 44 : 66);
  }

  /// Draws a complete SVG document.
  std::string Draw() {
    svg_.Line(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' "
        "viewBox='0 0 {0} {1}' role='img' aria-label='{2}'>",
        kWidth, kHeight, EscapeMarkup(options_.title));
    svg_.Line("{}", PlotStyle());
    DrawContent();
    svg_.Line("</svg>");
    return svg_.Take();
  }

  /// Draws a part of a picture that contains PlotStyle().
  std::string DrawAt(double x, double y) {
    svg_.Line("<g transform='translate({} {})'>", x, y);
    DrawContent();
    svg_.Line("</g>");
    return svg_.Take();
  }

 private:
  double X(double value) const {
    return left_ + axes_.x.Fraction(value) * (right_ - left_);
  }
  double Y(double value) const {
    return bottom_ - axes_.y.Fraction(value) * (bottom_ - top_);
  }

  void DrawContent() {
    DrawTexts();
    DrawGrid();
    for (size_t i = 0; i < series_.size(); ++i) DrawSeries(i);
    if (options_.named) DrawNames();
  }

  void DrawTexts() {
    if (!options_.title.empty()) {
      svg_.Line("<text class='title' x='24' y='36' font-size='17'>{}</text>",
                EscapeMarkup(Ellipsize(VisibleToken(options_.title), 70)));
    }
    if (!options_.y_label.empty()) {
      svg_.Line("<text class='label' x='24' y='{}' font-size='13'>{}</text>",
                top_ - 16, EscapeMarkup(options_.y_label));
    }
    if (!options_.x_label.empty()) {
      svg_.Line(
          "<text class='label' x='{:.1f}' y='{}' font-size='13' "
          "text-anchor='middle'>{}</text>",
          (left_ + right_) / 2, kHeight - 20, EscapeMarkup(options_.x_label));
    }
  }

  void DrawGrid() {
    for (double tick : axes_.y.ticks) {
      svg_.Line("<path class='grid' d='M{:.1f} {:.1f}H{:.1f}'/>", left_,
                Y(tick), right_);
      svg_.Line(
          "<text class='tick' x='{:.1f}' y='{:.1f}' font-size='{}' "
          "text-anchor='end'>{}</text>",
          left_ - 10, Y(tick) + 4, kTickFont, axes_.y.Label(tick));
    }
    for (double tick : axes_.x.ticks) {
      svg_.Line("<path class='base' d='M{:.1f} {:.1f}v5'/>", X(tick), bottom_);
      svg_.Line(
          "<text class='tick' x='{:.1f}' y='{:.1f}' font-size='{}' "
          "text-anchor='middle'>{}</text>",
          X(tick), bottom_ + 20, kTickFont, axes_.x.Label(tick));
    }
    svg_.Line("<path class='base' d='M{:.1f} {:.1f}H{:.1f}'/>", left_, bottom_,
              right_);
  }

  void DrawSeries(size_t index) {
    const Series& line = series_[index];
    svg_.Line("<g class='s{}'>", index % kSeriesColours.size());
    const auto runs = DrawableRuns(line, options_);
    for (const auto& run : runs) {
      std::string path;
      for (const PlotPoint& point : run) {
        path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L",
                            X(point.x), Y(point.y));
      }
      svg_.Line("<path class='line' d='{}'/>", path);
    }
    for (const PlotPoint& point : MarkedPoints(line, options_)) {
      svg_.Line(
          "<path class='mark' transform='translate({:.1f} {:.1f})' d='{}'>"
          "<title>{}: {:.6g}, {:.6g}</title></path>",
          X(point.x), Y(point.y), MarkerPathOf(index), EscapeMarkup(line.name),
          point.x, point.y);
    }
    svg_.Line("</g>");
  }

  // Draws each name beside the last point of its line.
  void DrawNames() {
    std::vector<size_t> named;
    std::vector<double> wanted;
    for (size_t i = 0; i < series_.size(); ++i) {
      const auto runs = DrawableRuns(series_[i], options_);
      if (runs.empty()) continue;
      named.push_back(i);
      wanted.push_back(Y(runs.back().back().y));
    }
    const std::vector<double> placed = SpreadLabels(wanted, top_, bottom_);
    for (size_t i = 0; i < named.size(); ++i) {
      svg_.Line(
          "<g class='s{}'><text class='name' x='{:.1f}' y='{:.1f}' "
          "font-size='{}'>{}</text></g>",
          named[i] % kSeriesColours.size(), right_ + 14, placed[i] + 4.5,
          kSeriesFont, EscapeMarkup(NameOf(series_[named[i]])));
    }
  }

  const std::span<const Series> series_;
  const LinePlotOptions& options_;
  const PlotAxes axes_;
  double left_ = 0;
  double right_ = 0;
  double top_ = 0;
  double bottom_ = 0;
  MarkupWriter svg_;
};

constexpr double kPageMargin = 24;
constexpr double kLegendLine = 22;

/// Truncates bold text to `room`.
std::string Fitted(const std::string& text, double room, double font_size) {
  constexpr double kBold = 1.1;
  const double column = kBold * TextWidth("m", font_size);
  return EscapeMarkup(
      Ellipsize(VisibleToken(text), static_cast<int>(room / column)));
}

/// Draws a name after the marker of its series.
void DrawLegendLine(size_t index, const std::string& name, double width,
                    double y, MarkupWriter& svg) {
  constexpr double kIndent = 40;
  svg.Line(
      "<g class='s{}'><path class='line' d='M{:.1f} {:.1f}h28'/>"
      "<path class='mark' transform='translate({:.1f} {:.1f})' d='{}'/>"
      "<text class='name' x='{:.1f}' y='{:.1f}' font-size='{}'>{}</text></g>",
      index % kSeriesColours.size(), kPageMargin, y, kPageMargin + 14, y,
      MarkerPathOf(index), kPageMargin + kIndent, y + 4.5, kSeriesFont,
      Fitted(name, width - 2 * kPageMargin - kIndent, kSeriesFont));
}

}  // namespace

std::string LinePlotsSvg(std::span<const LinePlotPanel> panels,
                         std::span<const std::string> names,
                         const std::string& title) {
  const size_t columns = std::min<size_t>(2, panels.size());
  const size_t rows = (panels.size() + 1) / 2;
  const size_t lines = names.size() > 1 ? names.size() : 0;
  const double top =
      56 + kLegendLine * static_cast<double>(lines) + (lines > 0 ? 8 : 0);
  const double width =
      kWidth * static_cast<double>(std::max<size_t>(1, columns));
  const double height = top + kHeight * static_cast<double>(rows);
  MarkupWriter svg;
  svg.Line(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' "
      "viewBox='0 0 {0} {1}' role='img' aria-label='{2}'>",
      width, height, EscapeMarkup(title));
  svg.Line("{}", PlotStyle());
  svg.Line("<text class='title' x='{}' y='38' font-size='20'>{}</text>",
           kPageMargin, Fitted(title, width - 2 * kPageMargin, 20));
  for (size_t i = 0; i < lines; ++i) {
    DrawLegendLine(i, names[i], width,
                   66 + kLegendLine * static_cast<double>(i), svg);
  }
  for (size_t i = 0; i < panels.size(); ++i) {
    LinePlotOptions options = panels[i].options;
    options.named = false;
    const size_t row = i / 2;
    svg.Line("{}", SvgPlot(panels[i].series, options)
                       .DrawAt(kWidth * static_cast<double>(i % 2),
                               top + kHeight * static_cast<double>(row)));
  }
  svg.Line("</svg>");
  return svg.Take();
}

std::string LinePlotSvg(std::span<const Series> series,
                        const LinePlotOptions& options) {
  return SvgPlot(series, options).Draw();
}

}  // namespace heed
