#include "heed/kernels/cpu/pack.h"
#include "heed/kernels/cpu/panels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/multiply_panels.cc"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/highway.h>

#include "heed/kernels/cpu/attention_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

void MultiplyImpl(int64_t m, int64_t n, int64_t k, const LeftWords& a,
                  const RightWords& b, bool accumulate, const Floats2D& c) {
  cpu::MultiplyByPanels(m, n, k, a, b, accumulate, c,
                        [&](int64_t rows, int64_t words, int64_t columns,
                            const LeftWords& left, const float* panel, bool add,
                            const Floats2D& to, const cpu::LinesAhead& ahead) {
                          Product(WordFormat(Precision::kNative), rows, words,
                                  columns, left, {panel, b.row, kTileCols}, add,
                                  to, ahead);
                        });
}

}  // namespace
}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(MultiplyImpl);

}  // namespace
namespace cpu {

void MultiplyPanels(int64_t m, int64_t n, int64_t k, const LeftWords& a,
                    const float* b, bool accumulate, const Floats2D& c) {
  const RightWords right{b, kPanel, PaddedRows(k, false) * kPanel};
  HWY_DYNAMIC_DISPATCH(MultiplyImpl)(m, n, k, a, right, accumulate, c);
}

}  // namespace cpu
}  // namespace heed::kernels
#endif  // HWY_ONCE
