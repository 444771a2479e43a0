// Reviews, each covering words: attended reviews are drawn by name.
#include "heed/render/axis_kind.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/words_svg.h"

namespace heed {

AxisKind ReviewsKind() {
  AxisKind kind;
  kind.name = "reviews";
  kind.shade = [](const ExplanationSegment&, const Axis& axis,
                  std::span<const float> values, double width) {
    constexpr double kNumberedFrom = 0.1;
    return DrawShadedWords(axis.shown(), values, width, kNumberedFrom,
                           values.size());
  };
  kind.shade_text = [](const ExplanationSegment&, const Axis& axis,
                       std::span<const float> values, int indent,
                       const TerminalOptions& terminal) {
    return TerminalWords(axis.shown(), values, indent, terminal);
  };
  return kind;
}

}  // namespace heed
