// How tokens name the rows and columns of pictures.
#ifndef HEED_RENDER_TOKEN_NAMES_H_
#define HEED_RENDER_TOKEN_NAMES_H_

#include <span>
#include <string>

#include "heed/render/markup.h"

namespace heed {

struct NameStyle {
  double font = 12;
  int columns = 24;  ///< of the longest name
  /// Axis whose items are named, for ItemAttributes; none: no attributes.
  std::string_view axis = {};
};

/// The token as a name, not yet escaped.
std::string ShortToken(const std::string& token, const NameStyle& style);

/// Width of the longest name; 0 of none.
double WidestToken(std::span<const std::string> tokens, const NameStyle& style);

/// Names that lean this far have ends beyond their column, in degrees.
inline constexpr double kNameAngle = 52;
/// Width and height of a name of this width that leans.
double LeaningWidth(double width);
double LeaningHeight(double width);

/// Tokens below each other, `step` apart, the first in the middle of a row that
/// begins at y = 0; `anchor`: "end" if they end at `x`, or else "start".
void AddRowNames(std::span<const std::string> tokens, double x, double step,
                 const NameStyle& style, MarkupWriter* svg,
                 std::string_view anchor = "end");

/// Tokens beside each other above y = 0, from x = 0 on.
void AddColumnNames(std::span<const std::string> tokens, double step,
                    bool leaning, const NameStyle& style, MarkupWriter* svg);

/// Tooltips of the rows of `weights` [rows, columns], whose square cells begin
/// at (0, 0): "hund ← dog 0.52, the 0.30", the `most` largest.
void AddRowTips(std::span<const std::string> rows,
                std::span<const std::string> columns,
                std::span<const float> weights, double cell, size_t most,
                MarkupWriter* svg);

}  // namespace heed

#endif  // HEED_RENDER_TOKEN_NAMES_H_
