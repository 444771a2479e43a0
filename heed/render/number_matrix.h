// Matrices of numbers on shaded cells, in SVG.
#ifndef HEED_RENDER_NUMBER_MATRIX_H_
#define HEED_RENDER_NUMBER_MATRIX_H_

#include <vector>

#include "heed/render/markup.h"

namespace heed {

using NumberRows = std::vector<std::vector<float>>;

/// What a matrix of numbers looks like.
struct NumberMatrix {
  double scale = 1;  ///< the value of the darkest cell
  bool numbers = true;
  double cell_width = 40;
  double cell_height = 22;

  /// `rows` with the first cell at (0, 0): two decimals in each cell, below
  /// zero in the other hue; what is not finite is hatched.
  void Add(const NumberRows& rows, MarkupWriter* svg) const;

 private:
  void AddCell(float value, double x, double y, MarkupWriter* svg) const;
};

/// The largest finite magnitude; 0 without any.
double LargestOf(const NumberRows& rows);

}  // namespace heed

#endif  // HEED_RENDER_NUMBER_MATRIX_H_
