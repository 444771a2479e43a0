// Matrices drawn as many small cells.
#ifndef HEED_RENDER_CELLS_H_
#define HEED_RENDER_CELLS_H_

#include <cstdint>
#include <span>
#include <string>

#include "heed/render/markup.h"

namespace heed {

/// Draws the cells of `values` [rows, columns], −1 to 1, in twenty shades: one
/// path per shade, so that a large matrix gives a small file. Values below zero
/// have the other hue. NaN and values that round to no shade are not drawn.
void AddCells(std::span<const float> values, int64_t columns, double cell_width,
              double cell_height, MarkupWriter* svg);

/// The `count` largest magnitudes of a row with their tokens: "hund 0.52, ein
/// 0.30"; "nothing" if all round to 0.00.
std::string FormatStrongest(std::span<const float> values,
                            std::span<const std::string> tokens, size_t count);

}  // namespace heed

#endif  // HEED_RENDER_CELLS_H_
