// Packing of bf16 matrices in pairs, without rounding and on any processor.
#include <algorithm>
#include <bit>
#include <type_traits>

#include "heed/kernels/cpu/pairs.h"

namespace heed::kernels::cpu {
namespace {

/// Calls body(place in the matrix, place in the panel) for all elements of a
/// panel, in the order of the matrix in memory.
template <typename T, typename Body>
void ForElements(const MatrixOf<T>& b, int64_t panel, const Body& body) {
  const int64_t first = panel * kPanel;
  const int64_t columns = std::min(kPanel, b.n - first);
  const auto place = [](int64_t i, int64_t j) {
    if (std::is_same_v<T, float>) return i * kPanel + j;
    return i / 2 * 2 * kPanel + 2 * j + i % 2;
  };
  if (b.transposed) {
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t column = (first + j) * b.stride;
      for (int64_t i = 0; i < b.k; ++i) body(column + i, place(i, j));
    }
  } else {
    for (int64_t i = 0; i < b.k; ++i) {
      const int64_t row = i * b.stride + first;
      for (int64_t j = 0; j < columns; ++j) body(row + j, place(i, j));
    }
  }
}

}  // namespace

void PackPanelPairs(const MatrixViewBF16& b, int64_t panel, uint16_t* out) {
  const int64_t size = PaddedRows(b.k, true) * kPanel;
  const bool whole = (panel + 1) * kPanel <= b.n;
  // Elements outside the matrix are in the last rows or in the last panel.
  const int64_t kept = whole ? b.k / 2 * 2 * kPanel : 0;
  std::fill(out + kept, out + size, uint16_t{0});
  ForElements(b, panel, [&](int64_t in_matrix, int64_t in_panel) {
    out[in_panel] = b.data[in_matrix];
  });
}

void UnpackPanelPairs(const uint16_t* from, int64_t panel,
                      const MatrixViewBF16& shape, uint16_t* b) {
  ForElements(shape, panel, [&](int64_t in_matrix, int64_t in_panel) {
    b[in_matrix] = from[in_panel];
  });
}

void UnpackPanel(const float* from, int64_t panel, const MatrixView& shape,
                 float* b) {
  ForElements(shape, panel, [&](int64_t in_matrix, int64_t in_panel) {
    b[in_matrix] = from[in_panel];
  });
}

void WidenColumn(const uint32_t* words, int64_t k, float* out) {
  constexpr uint32_t kHigh = 0xffff0000;
  for (int64_t i = 0; i < k; ++i) {
    const uint32_t word = words[i / 2 * kPanel];
    out[i] = std::bit_cast<float>(i % 2 == 0 ? word << 16 : word & kHigh);
  }
}

}  // namespace heed::kernels::cpu
