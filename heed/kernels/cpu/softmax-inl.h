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

/// SoftmaxSpan of less than a vector: nothing leaves the registers in between,
/// which is what takes the time there.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void SoftmaxPart(D d, size_t n, const T* x, T* y) {
  const auto lowest = hn::Set(d, std::numeric_limits<T>::lowest());
  const auto part = hn::FirstN(d, n);
  const auto v = LoadPart(d, x, n);
  const auto max =
      hn::MaxOfLanes(d, hn::Max(lowest, hn::IfThenElse(part, v, lowest)));
  const auto e = hn::IfThenElseZero(part, Exp(d, hn::Sub(v, max)));
  const auto sum = hn::SumOfLanes(d, e);
  const auto none = hn::Eq(sum, hn::Zero(d));
  StorePart(d, hn::IfThenZeroElse(none, hn::Div(e, sum)), y, n);
}

/// y = softmax of the n elements of x; all 0 where no x is above -infinity.
/// y may be x.
template <typename T>
void SoftmaxSpan(int64_t n, const T* x, T* y) {
  if (n == 0) return;
  const hn::ScalableTag<T> d;
  if (n < static_cast<int64_t>(hn::Lanes(d))) {
    SoftmaxPart(d, static_cast<size_t>(n), x, y);
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
