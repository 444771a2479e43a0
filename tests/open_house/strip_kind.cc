// Strips in SVG and in the terminal.
#include <algorithm>
#include <cmath>

#include "heed/render/markup.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/shadings.h"
#include "tests/open_house/strip.h"

namespace heed::strips {
namespace {

constexpr double kCell = 24;
constexpr double kMark = 8;  // height of the mark below a cell

/// Draws cells in their colours, and below each a mark whose opacity shows its
/// value.
Drawing DrawCells(const Axis& axis, std::span<const float> values,
                  double width) {
  const auto& colours = PayloadOf<StripPayload>(axis).colours;
  const double cell =
      std::min(kCell, width / static_cast<double>(colours.size()));
  MarkupWriter svg;
  for (size_t i = 0; i < colours.size(); ++i) {
    const double x = cell * static_cast<double>(i);
    svg.Line(
        "<rect class='strip-cell' x='{:.1f}' width='{:.1f}' height='{}' "
        "fill='{}'/>",
        x, cell, kCell, colours[i]);
    if (i >= values.size()) continue;
    const float value = std::clamp(values[i], -1.0f, 1.0f);
    svg.Line(
        "<rect class='{}' x='{:.1f}' y='{}' width='{:.1f}' height='{}' "
        "fill-opacity='{:.2f}'/>",
        value < 0 ? "minus" : "cell", x, kCell, cell, kMark, std::abs(value));
  }
  return {cell * static_cast<double>(colours.size()), kCell + kMark + 4,
          svg.Take()};
}

/// Draws the strips of a segment with attention and each attribution method.
Drawing DrawStrips(const ExplanationSegment& segment, const ViewOptions&) {
  std::vector<Drawing> parts = {DrawHeading(TitleOf(segment), 2)};
  for (const Shading& shading : ShadingsOf(segment)) {
    const Axis& axis = segment.axis(shading.axis);
    if (axis.kind != kKind) continue;
    parts.push_back(DrawHeading(shading.title, 3));
    parts.push_back(DrawCells(axis, shading.values, kPictureWidth));
  }
  return StackDrawings(parts, 8);
}

std::string StripsText(const ExplanationSegment& segment, const ViewOptions&,
                       const TerminalOptions& terminal) {
  std::string text = TitleOf(segment) + "\n";
  for (const Shading& shading : ShadingsOf(segment)) {
    const Axis& axis = segment.axis(shading.axis);
    if (axis.kind != kKind) continue;
    text += shading.title + "\n" +
            TerminalWords(axis.shown(), shading.values, 2, terminal);
  }
  return text;
}

}  // namespace

AxisKind StripKind() {
  AxisKind kind;
  kind.name = kKind;
  kind.shade = [](const ExplanationSegment&, const Axis& axis,
                  std::span<const float> values,
                  double width) { return DrawCells(axis, values, width); };
  kind.shade_text = [](const ExplanationSegment&, const Axis& axis,
                       std::span<const float> values, int indent,
                       const TerminalOptions& terminal) {
    return TerminalWords(axis.shown(), values, indent, terminal);
  };
  kind.picture = DrawStrips;
  kind.picture_text = StripsText;
  return kind;
}

}  // namespace heed::strips
