#include "heed/render/axis_kind.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/words_svg.h"

namespace heed {
namespace {

constexpr double kNumberedFrom = 0.1;  // larger values are printed
constexpr size_t kLongText = 40;       // words
constexpr size_t kShownOfLong = 24;    // words shown of a long text

}  // namespace

AxisKind TextKind() {
  AxisKind kind;
  kind.name = "text";
  kind.named_by_text = true;
  kind.shade = [](const ExplanationSegment&, const Axis& axis,
                  std::span<const float> values, double width) {
    const size_t n = values.size();
    return DrawShadedWords(axis.shown(), values, width, kNumberedFrom,
                           n > kLongText ? kShownOfLong : n);
  };
  kind.shade_text = [](const ExplanationSegment&, const Axis& axis,
                       std::span<const float> values, int indent,
                       const TerminalOptions& terminal) {
    return TerminalWords(axis.shown(), values, indent, terminal);
  };
  return kind;
}

}  // namespace heed
