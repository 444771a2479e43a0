#include "heed/render/outline_rows.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "heed/base/at.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

using LayerKind = OutlinePart::Kind;

constexpr size_t kMaxColumns = 8;
constexpr size_t kFirstColumns = 5;  // if some are omitted
constexpr size_t kLastColumns = 2;
constexpr int64_t kMaxUnrolled = 3;  // layers drawn separately

/// Columns for `count` items: all of them, or the first and the last.
std::vector<OutlineColumn> ColumnsOf(size_t count) {
  std::vector<OutlineColumn> columns;
  const bool all = count <= kMaxColumns;
  for (size_t i = 0; i < count; ++i) {
    if (!all && i >= kFirstColumns && i + kLastColumns < count) {
      if (!columns.back().dots) columns.push_back({"…", "…", "", -1, true});
      continue;
    }
    columns.push_back({{},
                       {},
                       Subscript(static_cast<int64_t>(i) + 1),
                       static_cast<int64_t>(i),
                       false});
  }
  return columns;
}

std::vector<OutlineColumn> SymbolColumns(const OutlineSequence& sequence,
                                         bool target) {
  const std::string last = target ? "ₘ" : "ₙ";
  const std::string letter = target                    ? "y"
                             : sequence.letter.empty() ? "x"
                                                       : sequence.letter;
  std::vector<OutlineColumn> columns = {{"", "", "₁", -1, false},
                                        {"", "", "₂", -1, false},
                                        {"…", "…", "", -1, true},
                                        {"", "", last, -1, false}};
  for (size_t i = 0; i < columns.size(); ++i) {
    OutlineColumn& column = columns[i];
    if (column.dots) continue;
    if (target) {
      column.input = i == 0                    ? "<s>"
                     : i + 1 == columns.size() ? letter + last + "₋₁"
                                               : letter + columns[i - 1].number;
      column.output = letter + column.number;
      continue;
    }
    column.input = letter + column.number;
    if (sequence.writes) {
      column.output = i + 1 == columns.size()
                          ? letter + last + "₊₁"
                          : letter + Subscript(static_cast<int64_t>(i) + 2);
    }
  }
  return columns;
}

std::vector<OutlineColumn> NamedColumns(const OutlineSequence& sequence) {
  std::vector<OutlineColumn> columns = ColumnsOf(sequence.items.size());
  for (OutlineColumn& column : columns) {
    if (column.dots) continue;
    column.input = At(sequence.items, column.item);
  }
  return columns;
}

std::vector<OutlineColumn> ColumnsOf(const ExplanationSegment& segment,
                                     const OutlineSequence& sequence,
                                     bool target) {
  const Axis* inputs = segment.Find(sequence.axis);
  const Axis* outputs = segment.Find("target");
  if (target && outputs == nullptr) inputs = nullptr;
  // Target outputs are one step ahead of target inputs.
  const Axis* sized = target ? outputs : inputs;
  if (sized == nullptr || sized->items.empty()) {
    return sequence.items.empty() ? SymbolColumns(sequence, target)
                                  : NamedColumns(sequence);
  }
  std::vector<OutlineColumn> columns = ColumnsOf(sized->items.size());
  for (OutlineColumn& column : columns) {
    if (column.dots) continue;
    const auto item = static_cast<size_t>(column.item);
    if (target) {
      column.output = outputs->shown()[item];
      column.input = inputs != nullptr && item < inputs->shown().size()
                         ? inputs->shown()[item]
                     : item == 0 ? "<s>"
                                 : outputs->shown()[item - 1];
    } else {
      column.input = inputs->shown()[item];
      if (sequence.writes && item + 1 < inputs->shown().size()) {
        column.output = inputs->shown()[item + 1];
      }
    }
  }
  return columns;
}

std::vector<OutlineRow> RowsOf(const OutlineSequence& sequence) {
  std::vector<OutlineRow> rows;
  bool pooled = false;
  for (const OutlineBlock& block : sequence.blocks) {
    const bool unrolled = block.repeats <= kMaxUnrolled &&
                          block.parts.size() == 1 &&
                          IsRecurrent(block.parts[0].kind);
    const int64_t times = unrolled ? block.repeats : 1;
    for (int64_t time = 0; time < times; ++time) {
      for (size_t p = 0; p < block.parts.size(); ++p) {
        OutlineRow row;
        row.part = block.parts[p];
        // Columns are in text order, whatever the reading direction.
        if (sequence.backwards && row.part.kind == LayerKind::kForward) {
          row.part.kind = LayerKind::kBackward;
        }
        row.pooled = pooled;
        if (p == 0 && !unrolled && block.repeats > 1) {
          row.repeats = block.repeats;
          row.rows = std::ssize(block.parts);
        }
        if (time == 0 && p == 0) row.receives = row.part.result;
        if (time + 1 == times && p + 1 == block.parts.size()) {
          row.gives = row.part.result;
        }
        pooled = pooled || row.part.kind == LayerKind::kPool;
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

bool IsRecurrent(LayerKind kind) {
  return kind == LayerKind::kForward || kind == LayerKind::kBackward ||
         kind == LayerKind::kBoth;
}

int64_t OutlineGrid::RowThatGives(const std::string& result) const {
  for (size_t r = 0; r < rows.size(); ++r) {
    if (!result.empty() && rows[r].gives == result) {
      return static_cast<int64_t>(r);
    }
  }
  return -1;
}

std::string WithNumber(std::string symbol, const std::string& number) {
  ReplaceAll(symbol, "ᵢ", number);
  ReplaceAll(symbol, "ⱼ", number);
  return symbol;
}

std::string Subscript(int64_t number) {
  constexpr std::array<std::string_view, 10> kDigits = {
      "₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
  std::string text;
  for (const char digit : std::to_string(number)) {
    text += digit == '-' ? std::string_view("₋") : At(kDigits, digit - '0');
  }
  return text;
}

std::string DetailOf(const OutlinePart& part) {
  std::string detail =
      part.features > 0 ? fmt::format("{}", part.features) : std::string();
  if (!part.detail.empty()) {
    if (!detail.empty()) detail += " · ";
    detail += part.detail;
  }
  return detail;
}

std::vector<std::string> FormulasOf(const ModelOutline& outline) {
  std::vector<std::string> lines;
  if (!outline.bridge.empty()) lines.push_back(outline.bridge);
  for (const OutlineStep& step : outline.Steps()) {
    lines.push_back(fmt::format("{} = {}", step.result, step.formula));
  }
  return lines;
}

std::string NameOf(const ModelOutline& outline) {
  if (outline.weights == 0) return outline.name;
  std::string digits = std::to_string(outline.weights);
  constexpr size_t kGroup = 3;
  for (size_t at = digits.size(); at > kGroup;) {
    at -= kGroup;
    digits.insert(at, ",");
  }
  return fmt::format("{}, {} weights", outline.name, digits);
}

std::vector<OutlineGrid> GridsOf(const ExplanationSegment& segment) {
  std::vector<OutlineGrid> grids;
  for (const OutlineSequence& sequence : segment.outline.sequences) {
    const bool target = !grids.empty() && sequence.writes;
    grids.push_back(
        {sequence, ColumnsOf(segment, sequence, target), RowsOf(sequence)});
  }
  return grids;
}

}  // namespace heed
