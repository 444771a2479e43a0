#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/dropout.cc"
#include <hwy/foreach_target.h>

#include "heed/base/rng.h"
#include "heed/base/threads.h"
#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/elementwise.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// 32 well-mixed bits of a counter. The halves of the key enter at two places,
/// so that two keys never give shifted copies of one sequence.
template <class D, class V>
HWY_INLINE V Hash(D d, V counter, uint64_t key) {
  V h = hn::Add(counter, hn::Set(d, static_cast<uint32_t>(key)));
  h = hn::Xor(h, hn::ShiftRight<16>(h));
  h = hn::Mul(h, hn::Set(d, 0x7feb352dU));
  h = hn::Xor(h, hn::ShiftRight<15>(h));
  h = hn::Add(h, hn::Set(d, static_cast<uint32_t>(key >> 32)));
  h = hn::Mul(h, hn::Set(d, 0x846ca68bU));
  return hn::Xor(h, hn::ShiftRight<16>(h));
}

/// Dropout of elements `first` .. first + n of a tensor; their indices have the
/// same upper 32 bits.
template <typename T>
void DropoutSpan(int64_t first, int64_t n, double rate, uint64_t key,
                 const T* x, T* y) {
  const uint64_t mixed = Rng(key, static_cast<uint64_t>(first) >> 32).Next();
  constexpr double kSteps = 1 << 24;
  const auto dropped = static_cast<int32_t>(rate * kSteps + 0.5);
  const T scale = static_cast<T>(1 / (1 - rate));
  ForLanes<T>(n, [&](auto lanes, int64_t i) HEED_LANES {
    using D = decltype(lanes.d);
    const hn::Rebind<uint32_t, D> du;
    const hn::Rebind<int32_t, D> di;
    const hn::Rebind<float, D> df;
    const auto counter = hn::Add(hn::Iota(du, 0U),
                                 hn::Set(du, static_cast<uint32_t>(first + i)));
    const auto uniform =
        hn::BitCast(di, hn::ShiftRight<8>(Hash(du, counter, mixed)));
    const auto keep =
        hn::RebindMask(df, hn::Gt(uniform, hn::Set(di, dropped - 1)));
    const auto one = hn::IfThenElseZero(keep, hn::Set(df, 1.0F));
    const auto v = lanes.Load(x + i);
    const auto s = hn::Set(lanes.d, scale);
    if constexpr (sizeof(T) == sizeof(float)) {
      lanes.Store(hn::Mul(v, hn::Mul(one, s)), y + i);
    } else {
      lanes.Store(hn::Mul(v, hn::Mul(hn::PromoteTo(lanes.d, one), s)), y + i);
    }
  });
}

void DropoutInto(const Tensor& x, double rate, uint64_t key, Tensor& y) {
  static_assert((int64_t{1} << 32) % kChunk == 0);
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
