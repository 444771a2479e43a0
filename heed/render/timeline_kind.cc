// Timelines: events in time order, such as visits, and what happened at each.
#include <algorithm>
#include <cmath>

#include "heed/render/axis_kind.h"
#include "heed/render/markup.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kEventHeight = 34;
constexpr double kWidestEvent = 76;
constexpr double kEventFont = 11;

/// Events as shaded boxes along a time line.
Drawing DrawEvents(const Axis& axis, std::span<const float> values,
                   double width) {
  const double pitch =
      std::min(kWidestEvent,
               width / static_cast<double>(std::max<int64_t>(axis.size(), 1)));
  MarkupWriter svg;
  svg.Line("<path class='rule' d='M0 {}h{:.1f}'/>", kEventHeight / 2,
           pitch * static_cast<double>(axis.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    const float value = std::clamp(values[i], -1.0f, 1.0f);
    const double x = pitch * static_cast<double>(i);
    const std::string& name = axis.shown().at(i);
    svg.Line(
        "<rect class='field' x='{0:.1f}' width='{1:.1f}' height='{2}' rx='4'/>"
        "<rect class='{3}' x='{0:.1f}' width='{1:.1f}' height='{2}' rx='4' "
        "fill-opacity='{4:.2f}'><title>{5}: {6:.2f}</title></rect>",
        x, std::max(pitch - 3, 0.5), kEventHeight - 6,
        value < 0 ? "minus" : "cell", std::abs(value), EscapeMarkup(name),
        value);
    if (TextWidth(name, kEventFont) > pitch - 6) continue;
    svg.Line(
        "<text class='{}' x='{:.1f}' y='18' font-size='{}' "
        "text-anchor='middle'>{}</text>",
        std::abs(value) > 0.55f ? "on" : "token", x + (pitch - 3) / 2,
        kEventFont, EscapeMarkup(name));
  }
  return {pitch * static_cast<double>(axis.size()), kEventHeight, svg.Take()};
}

}  // namespace

AxisKind TimelineKind() {
  AxisKind kind;
  kind.name = "timeline";
  kind.shade = [](const ExplanationSegment&, const Axis& axis,
                  std::span<const float> values,
                  double width) { return DrawEvents(axis, values, width); };
  kind.shade_text = [](const ExplanationSegment&, const Axis& axis,
                       std::span<const float> values, int indent,
                       const TerminalOptions& terminal) {
    return TerminalWords(axis.shown(), values, indent, terminal);
  };
  return kind;
}

}  // namespace heed
