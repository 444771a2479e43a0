#include "heed/kernels/dropout.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/dropout.cc"
#include <hwy/foreach_target.h>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/random-inl.h"

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

void DropRows(Tensor& part, int64_t first, int64_t width,
              const DropoutKey& dropout) {
  WithFloat(part, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    const int64_t n = part.cols();
    for (int64_t r = 0; r < part.rows(); ++r) {
      T* row = part.row<T>(r);
      DropoutSpan<T>(first + r * width, n, dropout.rate, dropout.key, row, row);
    }
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
HWY_EXPORT(DropoutInto);
HWY_EXPORT(DropRows);

Tensor Dropout(const Tensor& x, double rate, uint64_t key) {
  assert(x.contiguous() && rate >= 0 && rate < 1);
  Tensor y(x.shape(), x.dtype());
  HWY_DYNAMIC_DISPATCH(DropoutInto)(x, rate, key, y);
  return y;
}

void DropPart(Tensor& part, int64_t row, int64_t column, int64_t width,
              const DropoutKey& dropout) {
  assert(dropout.rate >= 0 && dropout.rate < 1);
  HWY_DYNAMIC_DISPATCH(DropRows)(part, row * width + column, width, dropout);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
