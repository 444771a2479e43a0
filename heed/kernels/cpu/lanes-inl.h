// Loops with several results per column: one body serves whole vectors and the
// remaining part of a vector.
//
// Included once for each target, see hwy/highway.h.
#if defined(HEED_KERNELS_CPU_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_CPU_LANES_INL_H_
#undef HEED_KERNELS_CPU_LANES_INL_H_
#else
#define HEED_KERNELS_CPU_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "heed/kernels/cpu/loops-inl.h"

// Attributes of a lambda that is the body of ForLanes. Inlining is forced,
// because compilers do not inline bodies as large as a tanh.
#define HEED_LANES HWY_ATTR __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// Converts bf16 to f32. Shapes: as many u16 as d has lanes.
template <class V16>
HWY_INLINE hn::Vec<hn::ScalableTag<float>> Widen(hn::ScalableTag<float> d,
                                                 V16 bits) {
  const hn::RebindToUnsigned<decltype(d)> du;
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, bits)));
}

/// A whole vector of elements.
template <typename T>
struct WholeLanes {
  using V = hn::Vec<hn::ScalableTag<T>>;
  hn::ScalableTag<T> d;

  HWY_INLINE V Load(const T* p) const { return hn::LoadU(d, p); }
  HWY_INLINE V Load(const bfloat16* p) const {
    const hn::Rebind<uint16_t, decltype(d)> d16;
    return Widen(d, hn::LoadU(d16, &p->bits));
  }
  HWY_INLINE void Store(V v, T* p) const { hn::StoreU(v, d, p); }
  /// v in valid lanes, 0 in the others.
  HWY_INLINE V Only(V v) const { return v; }
};

/// Up to `count` first elements of a vector; the others load as 0.
template <typename T>
struct FirstLanes {
  using V = hn::Vec<hn::ScalableTag<T>>;
  hn::ScalableTag<T> d;
  size_t count;

  HWY_INLINE V Load(const T* p) const { return LoadPart(d, p, count); }
  HWY_INLINE V Load(const bfloat16* p) const {
    const hn::Rebind<uint16_t, decltype(d)> d16;
    return Widen(d, LoadPart(d16, &p->bits, count));
  }
  HWY_INLINE void Store(V v, T* p) const { StorePart(d, v, p, count); }
  HWY_INLINE V Only(V v) const {
    return hn::IfThenElseZero(hn::FirstN(d, count), v);
  }
};

/// Lanes that are vector kPart of a WideVector.
template <class Lanes, int64_t kOf>
struct PartLanes : Lanes {
  static constexpr int64_t kPart = kOf;
};

/// Calls body(lanes, i) for i = 0, one vector, two vectors .. up to n.
template <typename T, class Body>
HWY_INLINE void ForLanes(int64_t n, const Body& body) {
  const WholeLanes<T> whole{};
  const auto step = static_cast<int64_t>(hn::Lanes(whole.d));
  int64_t i = 0;
  for (; i + step <= n; i += step) body(whole, i);
  if (i < n) body(FirstLanes<T>{whole.d, static_cast<size_t>(n - i)}, i);
}

/// ForLanes for a body that sums: kPart of its lanes selects the vector of a
/// WideVector to add to.
template <typename T, class Body>
HWY_INLINE void ForParts(int64_t n, const Body& body) {
  const WholeLanes<T> whole{};
  const auto step = static_cast<int64_t>(hn::Lanes(whole.d));
  int64_t i = 0;
  [&]<int64_t... kPart>(std::integer_sequence<int64_t, kPart...>) HEED_LANES {
    for (; i + kParts<T> * step <= n; i += kParts<T> * step) {
      (body(PartLanes<WholeLanes<T>, kPart>{whole}, i + kPart * step), ...);
    }
    const auto last = [&](auto part) HEED_LANES {
      if (i >= n) return;
      const auto rest = static_cast<size_t>(std::min(step, n - i));
      body(PartLanes<FirstLanes<T>, decltype(part)::value>{{whole.d, rest}}, i);
      i += step;
    };
    (last(std::integral_constant<int64_t, kPart>()), ...);
  }
  (std::make_integer_sequence<int64_t, kParts<T>>());
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_CPU_LANES_INL_H_
