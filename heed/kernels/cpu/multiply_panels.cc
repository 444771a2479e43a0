#include <algorithm>
#include <array>

#include "heed/kernels/cpu/pack.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/multiply_panels.cc"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/highway.h>

#include "heed/kernels/cpu/attention_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

using cpu::kPanel;

/// Columns of the last panel: whole vectors are written beside c first.
void MultiplyLast(int64_t m, int64_t n, int64_t k, const LeftWords& a,
                  const RightWords& b, bool accumulate, const Floats2D& c) {
  constexpr int64_t kRows = 12;
  std::array<float, kRows * kPanel> part;
  for (int64_t r = 0; r < m; r += kRows) {
    const int64_t rows = std::min(kRows, m - r);
    Product(WordFormat(Precision::kNative), rows, k, n, a.Rows(r), b, false,
            {part.data(), kPanel});
    for (int64_t i = 0; i < rows; ++i) {
      float* to = c.first + (r + i) * c.row;
      for (int64_t j = 0; j < n; ++j) {
        to[j] = part[i * kPanel + j] + (accumulate ? to[j] : 0.0F);
      }
    }
  }
}

void MultiplyPanelsImpl(int64_t m, int64_t n, int64_t k, const float* a,
                        const float* b, bool accumulate, float* c) {
  const LeftWords left{a, k, 1};
  RightWords right{b, kPanel, kTileCols};
  for (int64_t j = 0; j < n; j += kPanel) {
    const Floats2D to{c + j, n};
    if (n - j < kPanel) {
      return MultiplyLast(m, n - j, k, left, right, accumulate, to);
    }
    Product(WordFormat(Precision::kNative), m, k, kPanel, left, right,
            accumulate, to);
    right.first += cpu::PaddedRows(k, false) * kPanel;
  }
}

}  // namespace
}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(MultiplyPanelsImpl);

}  // namespace
namespace cpu {

void MultiplyPanels(int64_t m, int64_t n, int64_t k, const float* a,
                    const float* b, bool accumulate, float* c) {
  HWY_DYNAMIC_DISPATCH(MultiplyPanelsImpl)(m, n, k, a, b, accumulate, c);
}

}  // namespace cpu
}  // namespace heed::kernels
#endif  // HWY_ONCE
