#include "heed/render/number_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace heed {
namespace {

std::string NumberOf(float value) {
  const std::string text = std::abs(value) < 1000
                               ? fmt::format("{:.2f}", value)
                               : fmt::format("{:.1e}", value);
  return text == "-0.00" ? "0.00" : text;
}

}  // namespace

void NumberMatrix::Add(const NumberRows& rows, MarkupWriter* svg) const {
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t c = 0; c < rows[r].size(); ++c) {
      AddCell(rows[r][c], cell_width * static_cast<double>(c),
              cell_height * static_cast<double>(r), svg);
    }
  }
}

void NumberMatrix::AddCell(float value, double x, double y,
                           MarkupWriter* svg) const {
  const double width = cell_width - 1;
  const double height = cell_height - 1;
  svg->Line("<rect class='field' x='{}' y='{}' width='{}' height='{}'/>", x, y,
            width, height);
  if (!std::isfinite(value)) {
    const double side = std::min(width, height);
    svg->Line("<path class='hatch' d='M{} {}l{} -{}M{} {}l{} -{}'/>", x,
              y + side, side, side, x + width - side, y + side, side, side);
    return;
  }
  const double shade = scale > 0 ? std::min(std::abs(value) / scale, 1.0) : 0;
  if (shade >= 0.005) {
    svg->Line(
        "<rect class='{}' x='{}' y='{}' width='{}' height='{}' "
        "fill-opacity='{:.2f}'><title>{:.4g}</title></rect>",
        value < 0 ? "minus" : "cell", x, y, width, height, shade, value);
  }
  if (!numbers) return;
  constexpr double kLargestFont = 10.5;
  const double font = std::min(kLargestFont, cell_height * 0.65);
  svg->Line(
      "<text class='{}' x='{}' y='{:.1f}' font-size='{:.1f}' "
      "text-anchor='middle' pointer-events='none'>{}</text>",
      shade > 0.6 ? "on" : "token", x + width / 2, y + height / 2 + font * 0.36,
      font, NumberOf(value));
}

double LargestOf(const NumberRows& rows) {
  double largest = 0;
  for (const auto& row : rows) {
    for (float v : row) {
      if (std::isfinite(v)) largest = std::max(largest, std::abs(double{v}));
    }
  }
  return largest;
}

}  // namespace heed
