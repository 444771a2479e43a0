// Random bits that depend only on a key and a position.
//
// Included once for each target, see hwy/highway.h.
#if defined(HEED_KERNELS_CPU_RANDOM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_CPU_RANDOM_INL_H_
#undef HEED_KERNELS_CPU_RANDOM_INL_H_
#else
#define HEED_KERNELS_CPU_RANDOM_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "heed/base/rng.h"
#include "heed/kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// 32 well-mixed bits of a counter. The halves of the key enter at different
/// places, so that two keys never give shifted copies of one sequence.
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

/// y[i] = x[i] * (kept ? 1 / (1 - rate) : 0). `counter` is the lower half of
/// the index of the first element, `mixed` the key combined with the upper
/// half.
template <typename T>
void DropoutPart(uint32_t counter, uint64_t mixed, int64_t n, double rate,
                 const T* x, T* y) {
  constexpr double kSteps = 1 << 24;
  const auto dropped = static_cast<int32_t>(rate * kSteps + 0.5);
  const T scale = static_cast<T>(1 / (1 - rate));
  ForLanes<T>(n, [&](auto lanes, int64_t i) HEED_LANES {
    using D = decltype(lanes.d);
    const hn::Rebind<uint32_t, D> du;
    const hn::Rebind<int32_t, D> di;
    const hn::Rebind<float, D> df;
    const auto index = hn::Add(hn::Iota(du, 0U),
                               hn::Set(du, counter + static_cast<uint32_t>(i)));
    const auto uniform =
        hn::BitCast(di, hn::ShiftRight<8>(Hash(du, index, mixed)));
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

/// Dropout of elements `first` .. first + n of a tensor. y may be x.
template <typename T>
void DropoutSpan(int64_t first, int64_t n, double rate, uint64_t key,
                 const T* x, T* y) {
  constexpr int64_t kHalf = int64_t{1} << 32;
  for (int64_t i = 0; i < n;) {
    const int64_t upper = (first + i) / kHalf;
    const int64_t end = std::min(n, (upper + 1) * kHalf - first);
    DropoutPart(static_cast<uint32_t>(first + i),
                Rng(key, static_cast<uint64_t>(upper)).Next(), end - i, rate,
                x + i, y + i);
    i = end;
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_CPU_RANDOM_INL_H_
