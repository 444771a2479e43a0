// The outline of a model as rows and columns of boxes, for its pictures.
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
  std::string output;  ///< of a sequence that writes
  std::string number;  ///< as a subscript: "₂"
  int64_t item = -1;   ///< of the axis; −1: of none
  bool dots = false;   ///< stands for those that are left out
};

/// A layer over all columns.
struct OutlineRow {
  OutlinePart part;
  /// A block that is drawn once: how often it is repeated, at its lowest row,
  /// and of how many rows it is; 1: no more than once.
  int64_t repeats = 1;
  int64_t rows = 1;
  /// What the lowest layer of a block is given: a result of the outline's
  /// steps; empty: what stands below.
  std::string receives = {};
  /// What the highest one gives.
  std::string gives = {};
  /// All columns have become one before.
  bool pooled = false;
};

/// A sequence, the lowest row first.
struct OutlineGrid {
  OutlineSequence sequence;
  std::vector<OutlineColumn> columns;
  std::vector<OutlineRow> rows;

  /// The row that gives a result; none: −1.
  int64_t RowThatGives(const std::string& result) const;
};

/// The sequences of the model that answered, with the tokens of the segment
/// where it has the axes, else with symbols.
std::vector<OutlineGrid> GridsOf(const ExplanationSegment& segment);

/// Whether the vectors of a layer are made step by step.
bool IsRecurrent(OutlinePart::Kind kind);
/// "s₂" of "sᵢ", "h₂" of "hⱼ".
std::string WithNumber(std::string symbol, const std::string& number);
/// "₁₂".
std::string Subscript(int64_t number);
/// What a part is, behind its name: "256 features, 8 heads, scaled_dot".
std::string DetailOf(const OutlinePart& part);
/// "luong (global), 12,345 weights".
std::string NameOf(const ModelOutline& outline);
/// The formulas of an outline, z first, one a line: "cᵢ = Σⱼ αᵢⱼ hⱼ".
std::vector<std::string> FormulasOf(const ModelOutline& outline);

}  // namespace heed

#endif  // HEED_RENDER_OUTLINE_ROWS_H_
