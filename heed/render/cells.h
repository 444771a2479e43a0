// The cells of a matrix, small and many.
#ifndef HEED_RENDER_CELLS_H_
#define HEED_RENDER_CELLS_H_

#include <cstdint>
#include <span>
#include <string>

#include "heed/render/markup.h"

namespace heed {

/// The cells of `values` [rows, columns], −1 to 1, in twenty shades: one path
/// per shade, so that a large matrix makes a small file. A value below zero has
/// the other hue; NaN and what rounds to no shade is not drawn.
void AddCells(std::span<const float> values, int64_t columns, double cell_width,
              double cell_height, MarkupWriter* svg);

/// The largest values of a row, without regard to sign: "hund 0.52, ein 0.30";
/// "nothing" if all round to 0.00.
std::string StrongestOf(std::span<const float> values,
                        std::span<const std::string> tokens, size_t count);

}  // namespace heed

#endif  // HEED_RENDER_CELLS_H_
