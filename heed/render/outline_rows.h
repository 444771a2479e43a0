// Layout of a model outline as rows and columns of boxes.
#ifndef HEED_RENDER_OUTLINE_ROWS_H_
#define HEED_RENDER_OUTLINE_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/explain/explanation.h"

namespace heed {

/// A position of a sequence.
struct OutlineColumn {
  std::string input;
  std::string output;  ///< for a sequence that writes
  std::string number;  ///< as a subscript: "₂"
  int64_t item = -1;   ///< index in the axis; −1: none
  bool dots = false;   ///< represents omitted columns
};

/// A layer over all columns.
struct OutlineRow {
  OutlinePart part;
  /// At the lowest row of a block that is drawn once: its number of repetitions
  /// and of rows; repeats 1: not repeated.
  int64_t repeats = 1;
  int64_t rows = 1;
  /// Input of the lowest layer of a block: a result of the outline's steps;
  /// empty: the row below.
  std::string receives = {};
  /// Result of the highest layer of a block.
  std::string gives = {};
  /// The columns were pooled into one below this row.
  bool pooled = false;
};

/// A sequence, lowest row first.
struct OutlineGrid {
  OutlineSequence sequence;
  std::vector<OutlineColumn> columns;
  std::vector<OutlineRow> rows;

  /// The row with a result; −1: none.
  int64_t RowThatGives(const std::string& result) const;
};

/// Sequences of the model, with the tokens of the segment if it has the axes,
/// else with symbols.
std::vector<OutlineGrid> GridsOf(const ExplanationSegment& segment);

/// True if the vectors of a layer are computed step by step.
bool IsRecurrent(OutlinePart::Kind kind);
/// Replaces the index of a symbol: "s₂" for "sᵢ", "h₂" for "hⱼ".
std::string WithNumber(std::string symbol, const std::string& number);
/// A number as a subscript: "₁₂".
std::string Subscript(int64_t number);
/// Details of a part after its name: "256 features, 8 heads, scaled_dot".
std::string DetailOf(const OutlinePart& part);
/// Name and size of a model: "luong (global), 12,345 weights".
std::string NameOf(const ModelOutline& outline);
/// Formulas of an outline, one per line, z first: "cᵢ = Σⱼ αᵢⱼ hⱼ".
std::vector<std::string> FormulasOf(const ModelOutline& outline);

}  // namespace heed

#endif  // HEED_RENDER_OUTLINE_ROWS_H_
