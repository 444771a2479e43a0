#include "heed/render/model_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/text.h"
#include "heed/render/model_picture.h"
#include "heed/render/outline_rows.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

using RowKind = OutlinePart::Kind;

constexpr int kCellColumns = 7;
constexpr int kMinDetail = 12;

/// Separator between the boxes of a row.
std::string_view JoinOf(RowKind kind) {
  switch (kind) {
    case RowKind::kForward:
      return "→";
    case RowKind::kBackward:
      return "←";
    case RowKind::kBoth:
      return "⇄";
    default:
      return " ";
  }
}

/// Description of the links between columns.
std::string_view WordsOfKind(RowKind kind) {
  switch (kind) {
    case RowKind::kAll:
      return "each attends to all";
    case RowKind::kCausal:
      return "each attends to itself and those before";
    case RowKind::kSource:
      return "attends to the source";
    case RowKind::kPool:
      return "one vector of all";
    case RowKind::kNear:
      return "each sees those beside it";
    case RowKind::kEdges:
      return "each attends to its neighbours";
    default:
      return "";
  }
}

/// Text of a row. `mark`: border of a repeated block, if the row is in one.
std::string RowText(const OutlineGrid& grid, const OutlineRow& row,
                    std::string_view mark, int names,
                    const TerminalOptions& terminal) {
  std::string line =
      terminal::Strong(terminal, Pad(row.part.name, names, Align::kRight)) +
      fmt::format(" {}  ", mark);
  const bool one = row.pooled || row.part.kind == RowKind::kPool ||
                   row.part.kind == RowKind::kWhole;
  const int width = static_cast<int>(grid.columns.size()) * (kCellColumns + 1);
  if (one) {
    line += fmt::format("[{}] ", Pad("", width - 3));
  } else {
    for (size_t c = 0; c < grid.columns.size(); ++c) {
      const OutlineColumn& column = grid.columns[c];
      const std::string symbol = WithNumber(row.gives, column.number);
      const bool shown = symbol.find("₋₁") == std::string::npos;
      line += column.dots
                  ? Pad("…", kCellColumns, Align::kCentre)
                  : fmt::format("[{}]", Pad(shown ? symbol : "",
                                            kCellColumns - 2, Align::kCentre));
      line += c + 1 < grid.columns.size() ? JoinOf(row.part.kind) : " ";
    }
  }
  std::string detail = DetailOf(row.part);
  const std::string_view words = WordsOfKind(row.part.kind);
  if (!words.empty())
    detail += fmt::format("{}{}", detail.empty() ? "" : ", ", words);
  const int rest = terminal.width - names - 4 - width;
  return line + terminal::Quiet(terminal,
                                Ellipsize(detail, std::max(rest, kMinDetail)));
}

/// Lowest row of the repeated block that contains a row; null if there is none.
const OutlineRow* BlockAt(const OutlineGrid& grid, size_t row) {
  for (size_t r = 0; r <= row && row < grid.rows.size(); ++r) {
    const OutlineRow& lowest = grid.rows[r];
    if (lowest.repeats > 1 && row < r + static_cast<size_t>(lowest.rows)) {
      return &lowest;
    }
  }
  return nullptr;
}

std::string NamesText(const OutlineGrid& grid, bool outputs, int names) {
  std::string line(static_cast<size_t>(names) + 4, ' ');
  for (const OutlineColumn& column : grid.columns) {
    line += Pad(VisibleToken(outputs ? column.output : column.input),
                kCellColumns, Align::kCentre) +
            ' ';
  }
  return line;
}

std::string ModelText(const ExplanationSegment& segment,
                      const TerminalOptions& terminal) {
  const ModelOutline& outline = segment.outline;
  std::string out = terminal::Strong(terminal, NameOf(outline)) + '\n';
  std::vector<OutlineGrid> grids = GridsOf(segment);
  int names = 0;
  for (const OutlineGrid& grid : grids) {
    for (const OutlineRow& row : grid.rows) {
      names = std::max(names, DisplayWidth(row.part.name));
    }
  }
  // The target is above the source.
  std::ranges::reverse(grids);
  for (const OutlineGrid& grid : grids) {
    out += '\n';
    out += grid.sequence.name;
    if (grid.sequence.backwards) out += ", read from the end";
    out += '\n';
    if (grid.sequence.writes) out += NamesText(grid, true, names) + '\n';
    for (size_t r = grid.rows.size(); r-- > 0;) {
      const OutlineRow* const block = BlockAt(grid, r);
      if (block != nullptr && BlockAt(grid, r + 1) != block) {
        out += Pad(fmt::format("{} times ┐", block->repeats), names + 2,
                   Align::kRight) +
               '\n';
      }
      out += RowText(grid, grid.rows[r], block != nullptr ? "│" : " ", names,
                     terminal) +
             '\n';
    }
    out += NamesText(grid, false, names) + '\n';
  }
  const std::vector<std::string> formulas = FormulasOf(outline);
  if (!formulas.empty()) out += '\n';
  for (const std::string& line : formulas) out += "  " + line + '\n';
  return out;
}

}  // namespace

ExplanationView ModelView() {
  ExplanationView view;
  view.name = "model";
  view.description =
      "layers, sizes and where attention stands, unrolled over the text";
  view.refusal = [](const ExplanationSegment& segment,
                    const ViewOptions&) -> std::string {
    return segment.outline.defined() ? ""
                                     : "the model does not say how it is made";
  };
  view.draw = [](const ExplanationSegment& segment,
                 const ViewOptions& options) -> std::vector<Drawing> {
    return {DrawModel(segment, options)};
  };
  view.text = [](const ExplanationSegment& segment, const ViewOptions&,
                 const TerminalOptions& terminal) {
    return ModelText(segment, terminal);
  };
  view.of_model = true;
  view.on_page = true;
  view.legend = PictureLegend::kNone;
  return view;
}

}  // namespace heed
