// Matrices of numbers on shaded cells, in SVG.
#ifndef HEED_RENDER_NUMBER_MATRIX_H_
#define HEED_RENDER_NUMBER_MATRIX_H_

#include <vector>

#include "heed/render/markup.h"

namespace heed {

using NumberRows = std::vector<std::vector<float>>;

/// Layout of a matrix of numbers.
struct NumberMatrix {
  double scale = 1;  ///< value of the darkest cell
  bool numbers = true;
  double cell_width = 40;
  double cell_height = 22;

  /// Draws `rows` with the first cell at (0, 0): two decimals in each cell, the
  /// other hue below zero, hatching for values that are not finite.
  void Add(const NumberRows& rows, MarkupWriter* svg) const;

 private:
  void AddCell(float value, double x, double y, MarkupWriter* svg) const;
};

/// Largest finite magnitude; 0 if there is none.
double LargestOf(const NumberRows& rows);

}  // namespace heed

#endif  // HEED_RENDER_NUMBER_MATRIX_H_
