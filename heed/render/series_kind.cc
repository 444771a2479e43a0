// Series: a line plot over time, with attention below.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/explain/payloads.h"
#include "heed/render/axis_kind.h"
#include "heed/render/line_plot.h"
#include "heed/render/markup.h"
#include "heed/render/plot_axes.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/shadings.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kPlotWidth = 860;
constexpr double kPlotHeight = 240;
constexpr double kBandHeight = 16;
constexpr double kLeftOfPlot = 150;  // band names, scale numbers
constexpr double kAxisFont = 12;
constexpr int kNameWidth = 22;  // columns

/// Axis with the numbers of a series. Throws: ShapeError if it has none.
const Axis& NumbersOf(const ExplanationSegment& segment, const Axis& axis) {
  const Axis& own = axis.of.empty() ? axis : segment.axis(axis.of);
  PayloadOf<SeriesPayload>(own);
  return own;
}

/// Numbers of the displayed column.
const std::vector<double>& ValuesOf(const Axis& axis) {
  const auto& own = PayloadOf<SeriesPayload>(axis);
  const auto column = std::ranges::find(own.columns, own.column);
  if (column == own.columns.end()) {
    throw ShapeError("axis '{}': no column that is shown", axis.id);
  }
  return own.values.at(static_cast<size_t>(column - own.columns.begin()));
}

/// Range of the series that item i of an axis covers.
ItemRange SpanOf(const Axis& axis, size_t i) {
  const auto place = static_cast<int64_t>(i);
  return axis.of.empty() ? ItemRange{place, place + 1} : axis.spans.at(i);
}

/// Draws values as shades along the steps of a series; where several items
/// cover a step, their mean. `steps`: length of the series, drawn `width` wide.
void AddBand(const Axis& axis, std::span<const float> values, int64_t steps,
             double width, MarkupWriter* svg) {
  std::vector<float> sums(static_cast<size_t>(steps));
  std::vector<float> counts(sums.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const ItemRange span = SpanOf(axis, i);
    for (int64_t t = span.begin; t < std::min(span.end, steps); ++t) {
      At(sums, t) += values[i];
      ++At(counts, t);
    }
  }
  const double step = width / static_cast<double>(std::max<int64_t>(steps, 1));
  svg->Line("<rect class='field' width='{:.1f}' height='{}'/>", width,
            kBandHeight);
  for (size_t t = 0; t < sums.size(); ++t) {
    if (counts[t] == 0) continue;
    const float value = std::clamp(sums[t] / counts[t], -1.0f, 1.0f);
    if (!(std::abs(value) >= 0.005f)) continue;
    svg->Line(
        "<rect class='{}' x='{:.2f}' width='{:.2f}' height='{}' "
        "fill-opacity='{:.2f}'/>",
        value < 0 ? "minus" : "cell", static_cast<double>(t) * step,
        step + 0.05, kBandHeight, std::abs(value));
  }
}

/// A row of shades below the plot.
struct Band {
  std::string name;
  const Axis* axis;
  std::vector<float> values;
};

/// Mean attention to each item of a series, over all queries of the last map.
std::optional<Band> AttentionReceived(const ExplanationSegment& segment) {
  for (size_t m = segment.maps.size(); m-- > 0;) {
    const AttentionMap& map = segment.maps[m];
    const Axis& axis = segment.axis(map.key);
    if (axis.kind != "series") continue;
    const std::vector<float> weights = map.MeanOfHeads();
    const auto width = static_cast<size_t>(map.key_size);
    Band band = {"attention received", &axis, std::vector<float>(width)};
    for (size_t i = 0; i < weights.size(); ++i) {
      band.values[i % width] += weights[i];
    }
    return band;
  }
  return std::nullopt;
}

/// Mean over the targets of attention and of each method; without attention of
/// targets, the mean attention received. Each is divided by its largest
/// magnitude.
std::vector<Band> BandsOf(const ExplanationSegment& segment) {
  std::vector<Band> bands;
  if (!segment.AlignmentMap()) {
    if (auto received = AttentionReceived(segment)) {
      bands.push_back(std::move(*received));
    }
  }
  for (const Shading& shading : ShadingsOf(segment)) {
    const Axis& axis = segment.axis(shading.axis);
    if (axis.kind != "series" || shading.targets.empty()) continue;
    const auto width = static_cast<size_t>(axis.size());
    Band band = {shading.title, &axis, std::vector<float>(width)};
    for (size_t i = 0; i < shading.values.size(); ++i) {
      band.values[i % width] += shading.values[i];
    }
    bands.push_back(std::move(band));
  }
  for (Band& band : bands) {
    const float factor = ShadeFactor(band.values, 0);
    for (float& value : band.values) value *= factor;
  }
  return bands;
}

/// The input series, with the output series after it.
struct History {
  const Axis* read = nullptr;
  std::vector<double> past;
  std::vector<double> ahead;
  const Axis* written = nullptr;
};

History HistoryOf(const ExplanationSegment& segment) {
  History history;
  for (const Axis& axis : segment.axes) {
    if (axis.kind != "series" || axis.payload.empty()) continue;
    if (axis.id == "target") {
      history.written = &axis;
      history.ahead = ValuesOf(axis);
    } else {
      history.read = &axis;
      history.past = ValuesOf(axis);
    }
  }
  if (history.read == nullptr) {
    throw ShapeError("a series without the values that were read");
  }
  return history;
}

/// SVG path "M0 1L2 3" of numbers from place `first` on.
std::string PathOf(std::span<const double> values, size_t first, double step,
                   const PlotAxis& scale) {
  std::string path;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    path += fmt::format("{}{:.2f} {:.2f}", path.empty() ? 'M' : 'L',
                        (static_cast<double>(first + i) + 0.5) * step,
                        kPlotHeight * (1 - scale.Fraction(values[i])));
  }
  return path;
}

void AddSeriesText(double x, double y, std::string_view style,
                   std::string_view anchor, std::string_view text,
                   MarkupWriter* svg) {
  svg->Line(
      "<text class='{}' x='{:.1f}' y='{:.1f}' font-size='{}' "
      "text-anchor='{}'>{}</text>",
      style, x, y, kAxisFont, anchor, EscapeMarkup(text));
}

PlotAxis ScaleOf(const History& history) {
  double min = std::numeric_limits<double>::infinity();
  double max = -min;
  for (const auto* values : {&history.past, &history.ahead}) {
    for (const double value : *values) {
      if (!std::isfinite(value)) continue;
      min = std::min(min, value);
      max = std::max(max, value);
    }
  }
  return min <= max ? MakeAxis(min, max, 5) : MakeAxis(0, 1, 5);
}

Drawing DrawHistory(const ExplanationSegment& segment,
                    const ViewOptions& /*options*/) {
  const History history = HistoryOf(segment);
  const size_t steps = history.past.size() + history.ahead.size();
  const double step =
      kPlotWidth / static_cast<double>(std::max<size_t>(steps, 1));
  const double read = step * static_cast<double>(history.past.size());
  const PlotAxis scale = ScaleOf(history);
  MarkupWriter svg;
  svg.Line("<g transform='translate({} 8)'>", kLeftOfPlot);
  for (const double tick : scale.ticks) {
    const double y = kPlotHeight * (1 - scale.Fraction(tick));
    svg.Line("<path class='rule' d='M0 {:.1f}h{:.1f}'/>", y, kPlotWidth);
    AddSeriesText(-8, y + 4, "quiet", "end", scale.Label(tick), &svg);
  }
  svg.Line("<path class='link' stroke-width='1.6' d='{}'/>",
           PathOf(history.past, 0, step, scale));
  if (!history.ahead.empty()) {
    svg.Line("<path class='rule' stroke-dasharray='4 3' d='M{:.1f} 0V{}'/>",
             read, kPlotHeight);
    svg.Line("<path class='linked' stroke-width='1.6' d='{}'/>",
             PathOf(history.ahead, history.past.size(), step, scale));
    AddSeriesText(read + 6, 12, "quiet", "start", history.written->label, &svg);
  }
  double y = kPlotHeight + 18;
  const std::vector<std::string>& times = history.read->shown();
  if (!times.empty()) {
    AddSeriesText(0, y, "quiet", "start", times.front(), &svg);
    AddSeriesText(read, y, "quiet", "end", times.back(), &svg);
  }
  if (history.written != nullptr && !history.written->items.empty()) {
    AddSeriesText(kPlotWidth, y, "quiet", "end",
                  history.written->shown().back(), &svg);
  }
  y += 12;
  for (const Band& band : BandsOf(segment)) {
    AddSeriesText(-8, y + kBandHeight - 4, "token", "end",
                  Ellipsize(band.name, kNameWidth), &svg);
    svg.Line("<g transform='translate(0 {:.1f})'>", y);
    AddBand(*band.axis, band.values, std::ssize(history.past), read, &svg);
    svg.Line("</g>");
    y += kBandHeight + 6;
  }
  svg.Line("</g>");
  const std::vector<Drawing> parts = {
      DrawHeading(TitleOf(segment), 2),
      {kLeftOfPlot + kPlotWidth + 10, y + 12, svg.Take()}};
  return StackDrawings(parts, 12);
}

std::string SeriesText(const ExplanationSegment& segment,
                       const ViewOptions& /*options*/,
                       const TerminalOptions& terminal) {
  const History history = HistoryOf(segment);
  const auto line = [](const std::string& name,
                       const std::vector<double>& values, size_t first) {
    Series series = {name, {}, {}};
    for (size_t i = 0; i < values.size(); ++i) {
      series.x.push_back(static_cast<double>(first + i) + 1);
      series.y.push_back(values[i]);
    }
    return series;
  };
  std::vector<Series> lines = {
      line(PayloadOf<SeriesPayload>(*history.read).column, history.past, 0)};
  if (history.written != nullptr) {
    lines.push_back(
        line(history.written->label, history.ahead, history.past.size()));
  }
  std::string out = TerminalLinePlot(
      lines, {.title = TitleOf(segment), .x_label = "step", .y_label = ""},
      terminal);
  for (const Band& band : BandsOf(segment)) {
    out += terminal::Quiet(terminal, band.name) + '\n';
    out += TerminalWords(band.axis->shown(), band.values, 2, terminal);
  }
  return out;
}

}  // namespace

AxisKind SeriesKind() {
  AxisKind kind;
  kind.name = "series";
  kind.shade = [](const ExplanationSegment& segment, const Axis& axis,
                  std::span<const float> values, double width) -> Drawing {
    MarkupWriter svg;
    AddBand(axis, values, NumbersOf(segment, axis).size(), width, &svg);
    return {width, kBandHeight + 4, svg.Take()};
  };
  kind.shade_text = [](const ExplanationSegment&, const Axis& axis,
                       std::span<const float> values, int indent,
                       const TerminalOptions& terminal) {
    return TerminalWords(axis.shown(), values, indent, terminal);
  };
  kind.picture = DrawHistory;
  kind.picture_text = SeriesText;
  return kind;
}

}  // namespace heed
