// Softmax of a span of f32 or f64.
//
// Included once for each target, see hwy/highway.h.
#if defined(HEED_KERNELS_CPU_SOFTMAX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_CPU_SOFTMAX_INL_H_
#undef HEED_KERNELS_CPU_SOFTMAX_INL_H_
#else
#define HEED_KERNELS_CPU_SOFTMAX_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "heed/kernels/cpu/loops-inl.h"
#include "heed/kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// SoftmaxSpan for less than a wide vector, entirely in registers.
template <typename T>
HWY_INLINE void SoftmaxPart(int64_t n, const T* x, T* y) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto lowest = hn::Set(d, std::numeric_limits<T>::lowest());
  const auto rest = [&](int64_t p) HEED_LANES {
    return static_cast<size_t>(std::clamp<int64_t>(n - p * lanes, 0, lanes));
  };
  WideVector<T> values;
  auto max = lowest;
  for (int64_t p = 0; p < kParts<T>; ++p) {
    values[p] = LoadPart(d, x + p * lanes, rest(p));
    max =
        hn::Max(max, hn::IfThenElse(hn::FirstN(d, rest(p)), values[p], lowest));
  }
  max = hn::MaxOfLanes(d, max);
  WideVector<T> powers;
  for (int64_t p = 0; p < kParts<T>; ++p) {
    powers[p] = hn::IfThenElseZero(hn::FirstN(d, rest(p)),
                                   Exp(d, hn::Sub(values[p], max)));
  }
  WideVector<T> sums = powers;
  const auto sum = hn::Set(d, sums.Sum());
  const auto none = hn::Eq(sum, hn::Zero(d));
  for (int64_t p = 0; p < kParts<T>; ++p) {
    StorePart(d, hn::IfThenZeroElse(none, hn::Div(powers[p], sum)),
              y + p * lanes, rest(p));
  }
}

/// y = softmax of the n elements of x; zeros if all x are -infinity. y may be
/// x.
template <typename T>
void SoftmaxSpan(int64_t n, const T* x, T* y) {
  if (n == 0) return;
  if (HWY_TARGET != HWY_SCALAR && n < kWideLanes<T>) {
    SoftmaxPart(n, x, y);
    return;
  }
  // A finite maximum keeps -infinity - max from becoming NaN.
  const T max = std::max(std::numeric_limits<T>::lowest(), MaxSpan(n, x));
  MapSpan(
      n,
      [=](auto d, auto v)
          HEED_LANES { return Exp(d, hn::Sub(v, hn::Set(d, max))); },
      y, x);
  const T sum = SumSpan<T>(
      n, [](auto, auto v) HEED_LANES { return v; }, y);
  const T scale = sum == 0 ? T(0) : 1 / sum;
  MapSpan(
      n,
      [=](auto d, auto v) HEED_LANES { return hn::Mul(v, hn::Set(d, scale)); },
      y, y);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_CPU_SOFTMAX_INL_H_
