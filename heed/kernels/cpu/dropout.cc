#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/dropout.cc"
#include <hwy/foreach_target.h>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/random-inl.h"
#include "heed/kernels/elementwise.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

void DropoutInto(const Tensor& x, double rate, uint64_t key, Tensor& y) {
  WithFloat(x, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(x.numel(), kChunk, [&](int64_t begin, int64_t end) HWY_ATTR {
      DropoutSpan<T>(begin, end - begin, rate, key, x.data<T>() + begin,
                     y.data<T>() + begin);
    });
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
HWY_EXPORT(DropoutInto);

Tensor Dropout(const Tensor& x, double rate, uint64_t key) {
  assert(x.contiguous() && rate >= 0 && rate < 1);
  Tensor y(x.shape(), x.dtype());
  HWY_DYNAMIC_DISPATCH(DropoutInto)(x, rate, key, y);
  return y;
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
