// Vectors over time: a column of cells per step, or a square per slot, with a
// mark below that is shaded by its value.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/explain/payloads.h"
#include "heed/render/axis_kind.h"
#include "heed/render/cells.h"
#include "heed/render/markup.h"
#include "heed/render/shades_terminal.h"

namespace heed {
namespace {

constexpr double kStepWidth = 14;
constexpr double kBitHeight = 7;
constexpr double kStepMark = 9;

/// Vectors of an axis of steps; null for an axis of slots.
const VectorRows* VectorsOf(const Axis& axis) {
  if (const auto* read = axis.payload.As<StepsPayload>()) return &read->values;
  const auto* answered = axis.payload.As<AnswerStepsPayload>();
  return answered == nullptr ? nullptr : &answered->values;
}

/// Numbers of an axis of steps, transposed; empty for an axis of slots.
std::vector<float> UprightValues(const Axis& axis, int64_t* rows) {
  *rows = 0;
  const VectorRows* steps = VectorsOf(axis);
  if (steps == nullptr || steps->empty()) return {};
  *rows = std::ssize(steps->front());
  const size_t count = steps->size();
  std::vector<float> values(static_cast<size_t>(*rows) * count);
  for (size_t t = 0; t < count; ++t) {
    for (size_t r = 0; r < static_cast<size_t>(*rows); ++r) {
      values[r * count + t] = static_cast<float>((*steps)[t].at(r));
    }
  }
  return values;
}

Drawing DrawSteps(const Axis& axis, std::span<const float> shades,
                  double width) {
  int64_t rows = 0;
  const std::vector<float> values = UprightValues(axis, &rows);
  const auto steps = static_cast<double>(std::max<int64_t>(axis.size(), 1));
  const double step = std::min(kStepWidth, width / steps);
  const double tall = kBitHeight * static_cast<double>(rows);
  MarkupWriter svg;
  if (rows > 0) {
    svg.Line("<rect class='field' width='{:.1f}' height='{:.1f}'/>",
             step * steps, tall);
    AddCells(values, axis.size(), step, kBitHeight, &svg);
  }
  svg.Line("<g transform='translate(0 {:.1f})'>", tall + 3);
  svg.Line("<rect class='field' width='{:.1f}' height='{}'/>", step * steps,
           kStepMark);
  AddCells(shades, axis.size(), step, kStepMark, &svg);
  svg.Line("</g>");
  return {step * steps, tall + kStepMark + 6, svg.Take()};
}

}  // namespace

AxisKind MemoryKind() {
  AxisKind kind;
  kind.name = "memory";
  kind.shade = [](const ExplanationSegment&, const Axis& axis,
                  std::span<const float> values,
                  double width) { return DrawSteps(axis, values, width); };
  kind.shade_text = [](const ExplanationSegment&, const Axis& axis,
                       std::span<const float> values, int indent,
                       const TerminalOptions& terminal) {
    return TerminalWords(axis.shown(), values, indent, terminal);
  };
  return kind;
}

}  // namespace heed
