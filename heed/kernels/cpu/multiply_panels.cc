#include "heed/kernels/cpu/last_panel.h"
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

void MultiplyPanelsImpl(int64_t m, int64_t n, int64_t k, const LeftWords& a,
                        const float* b, bool accumulate, float* c) {
  RightWords right{b, kPanel, kTileCols};
  for (int64_t j = 0; j < n; j += kPanel) {
    const Floats2D to{c + j, n};
    if (n - j < kPanel) {
      return cpu::MultiplyLastPanel(
          m, n - j, accumulate, to,
          [&](int64_t r, int64_t rows, const Floats2D& part) HWY_ATTR {
            Product(WordFormat(Precision::kNative), rows, k, n - j, a.Rows(r),
                    right, false, part);
          });
    }
    Product(WordFormat(Precision::kNative), m, k, kPanel, a, right, accumulate,
            to);
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

void MultiplyPanels(int64_t m, int64_t n, int64_t k, const LeftWords& a,
                    const float* b, bool accumulate, float* c) {
  HWY_DYNAMIC_DISPATCH(MultiplyPanelsImpl)(m, n, k, a, b, accumulate, c);
}

}  // namespace cpu
}  // namespace heed::kernels
#endif  // HWY_ONCE
