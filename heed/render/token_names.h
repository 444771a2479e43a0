// Token names of rows and columns of pictures.
#ifndef HEED_RENDER_TOKEN_NAMES_H_
#define HEED_RENDER_TOKEN_NAMES_H_

#include <span>
#include <string>

#include "heed/render/markup.h"

namespace heed {

struct NameStyle {
  double font = 12;
  int columns = 24;  ///< maximum length of a name
  /// Axis of the named items, for ItemAttributes; empty: no attributes.
  std::string_view axis = {};
};

/// Truncated name of a token, not escaped.
std::string ShortToken(const std::string& token, const NameStyle& style);

/// Width of the longest name; 0 without names.
double WidestToken(std::span<const std::string> tokens, const NameStyle& style);

/// Angle of leaning names in degrees; they extend beyond their column.
inline constexpr double kNameAngle = 52;
/// Width and height of a leaning name of this width.
double LeaningWidth(double width);
double LeaningHeight(double width);

/// Draws tokens below each other, `step` apart, the first in the middle of a
/// row that begins at y = 0. `anchor`: "end" if they end at `x`, or "start".
void AddRowNames(std::span<const std::string> tokens, double x, double step,
                 const NameStyle& style, MarkupWriter* svg,
                 std::string_view anchor = "end");

/// Draws tokens side by side above y = 0, from x = 0 on.
void AddColumnNames(std::span<const std::string> tokens, double step,
                    bool leaning, const NameStyle& style, MarkupWriter* svg);

/// Tooltips of the rows of `weights` [rows, columns], whose square cells begin
/// at (0, 0), with the `max` largest weights: "hund ← dog 0.52, the 0.30".
void AddRowTips(std::span<const std::string> rows,
                std::span<const std::string> columns,
                std::span<const float> weights, double cell, size_t max,
                MarkupWriter* svg);

}  // namespace heed

#endif  // HEED_RENDER_TOKEN_NAMES_H_
