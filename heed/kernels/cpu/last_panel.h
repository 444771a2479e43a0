// Products whose last columns are less than a panel.
#ifndef HEED_KERNELS_CPU_LAST_PANEL_H_
#define HEED_KERNELS_CPU_LAST_PANEL_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "heed/kernels/cpu/attention_bf16.h"
#include "heed/kernels/cpu/pack.h"

namespace heed::kernels::cpu {

/// c [m, n] (+)= a product of n < kPanel columns, by way of a buffer, because
/// products write whole vectors. product(r, rows, part) writes rows
/// [r, r + rows) to `part`.
template <class Product>
void MultiplyLastPanel(int64_t m, int64_t n, bool accumulate, const Floats2D& c,
                       const Product& product) {
  constexpr int64_t kRows = 12;
  std::array<float, kRows * kPanel> part;
  for (int64_t r = 0; r < m; r += kRows) {
    const int64_t rows = std::min(kRows, m - r);
    product(r, rows, Floats2D{part.data(), kPanel});
    for (int64_t i = 0; i < rows; ++i) {
      float* to = c.first + (r + i) * c.row;
      for (int64_t j = 0; j < n; ++j) {
        to[j] = part[static_cast<size_t>(i * kPanel + j)] +
                (accumulate ? to[j] : 0.0F);
      }
    }
  }
}

}  // namespace heed::kernels::cpu

#endif  // HEED_KERNELS_CPU_LAST_PANEL_H_
