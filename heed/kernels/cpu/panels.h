// Products with a right factor in packed panels.
#ifndef HEED_KERNELS_CPU_PANELS_H_
#define HEED_KERNELS_CPU_PANELS_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "heed/kernels/cpu/attention_bf16.h"
#include "heed/kernels/cpu/pack.h"

namespace heed::kernels::cpu {

/// Number of words summed before the next panel: this part of a panel stays in
/// the cache for all rows.
inline constexpr int64_t kSumWords = 512;

/// c [m, n] (+)= a product of n < kPanel columns, through a buffer, because
/// products write whole vectors. product(r, rows, add, part) writes rows [r, r
/// + rows) to `part`, or adds to it.
template <class Product>
void MultiplyLastPanel(int64_t m, int64_t n, bool accumulate, const Floats2D& c,
                       const Product& product) {
  constexpr int64_t kRows = 48;  // whole tiles of 12 or 16
  std::array<float, kRows* kPanel> part = {};
  for (int64_t r = 0; r < m; r += kRows) {
    const int64_t rows = std::min(kRows, m - r);
    for (int64_t i = 0; accumulate && i < rows; ++i) {
      std::copy_n(c.first + (r + i) * c.row, n, part.data() + i * kPanel);
    }
    product(r, rows, accumulate, Floats2D{part.data(), kPanel});
    for (int64_t i = 0; i < rows; ++i) {
      std::copy_n(part.data() + i * kPanel, n, c.first + (r + i) * c.row);
    }
  }
}

/// c [m, n] (+)= a b with a [m, words] and b [words, n] in panels of kPanel
/// columns. product(rows, words, columns, a, b, add, c, ahead) multiplies by
/// part of a panel. Each element is one sum in the order of the words.
template <class Product>
void MultiplyByPanels(int64_t m, int64_t n, int64_t words, const LeftWords& a,
                      const RightWords& b, bool accumulate, const Floats2D& c,
                      const Product& product) {
  const int64_t last = n / kPanel;
  const int64_t beside = n % kPanel;
  // At least one pass: an empty sum is 0.
  for (int64_t i = 0; i == 0 || i < words; i += kSumWords) {
    const int64_t count = std::min(kSumWords, words - i);
    const bool add = accumulate || i > 0;
    const LeftWords left{a.first + i * a.col, a.row, a.col};
    const auto panel = [&](int64_t p) {
      return b.first + p * b.panel + i * b.row;
    };
    for (int64_t p = 0; p < last; ++p) {
      const bool more = (p + 1) * kPanel < n;
      const LinesAhead ahead{more ? panel(p + 1) : panel(p),
                             more ? count * kPanel / LinesAhead::kLine : 0};
      product(m, count, kPanel, left, panel(p), add,
              Floats2D{c.first + p * kPanel, c.row}, ahead);
    }
    if (beside == 0) continue;
    MultiplyLastPanel(
        m, beside, add, {c.first + last * kPanel, c.row},
        [&](int64_t r, int64_t rows, bool add_part, const Floats2D& part) {
          product(rows, count, beside, left.Rows(r), panel(last), add_part,
                  part, LinesAhead{panel(last), 0});
        });
  }
}

}  // namespace heed::kernels::cpu

#endif  // HEED_KERNELS_CPU_PANELS_H_
