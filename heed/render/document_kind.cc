// Documents: sentences below each other, with or without their words.
#include <algorithm>

#include "heed/base/at.h"
#include "heed/render/axis_kind.h"
#include "heed/render/document_view.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/words_svg.h"

namespace heed {
namespace {

constexpr size_t kMaxRowsOfDocument = 40;
constexpr double kNumberOfDocumentFrom = 0.1;
constexpr size_t kMaxItemsOfRow = 60;

/// Rows of an axis with the largest values, in document order.
std::vector<ItemRange> RowsOfDocument(const ExplanationSegment& segment,
                                      const Axis& axis,
                                      std::span<const float> values) {
  std::vector<ItemRange> rows = SentencesOfAxis(segment, axis);
  if (rows.size() <= kMaxRowsOfDocument) return rows;
  const auto largest = [&](const ItemRange& row) {
    float max = 0;
    for (int64_t i = row.begin; i < row.end; ++i) {
      max = std::max(max, std::abs(At(values, i)));
    }
    return max;
  };
  std::ranges::stable_sort(rows, std::greater<>(), largest);
  rows.resize(kMaxRowsOfDocument);
  std::ranges::sort(rows, {}, &ItemRange::begin);
  return rows;
}

template <typename Values>
auto RowOfDocument(const Values& values, const ItemRange& row) {
  return std::span(values).subspan(static_cast<size_t>(row.begin),
                                   static_cast<size_t>(row.end - row.begin));
}

}  // namespace

AxisKind DocumentKind() {
  AxisKind kind;
  kind.name = "document";
  kind.shade = [](const ExplanationSegment& segment, const Axis& axis,
                  std::span<const float> values, double width) {
    std::vector<Drawing> rows;
    for (const ItemRange& row : RowsOfDocument(segment, axis, values)) {
      rows.push_back(DrawShadedWords(RowOfDocument(axis.shown(), row),
                                     RowOfDocument(values, row), width,
                                     kNumberOfDocumentFrom, kMaxItemsOfRow));
    }
    return StackDrawings(rows, 0);
  };
  kind.shade_text = [](const ExplanationSegment& segment, const Axis& axis,
                       std::span<const float> values, int indent,
                       const TerminalOptions& terminal) {
    std::string text;
    for (const ItemRange& row : RowsOfDocument(segment, axis, values)) {
      text += TerminalWords(RowOfDocument(axis.shown(), row),
                            RowOfDocument(values, row), indent, terminal);
    }
    return text;
  };
  return kind;
}

}  // namespace heed
