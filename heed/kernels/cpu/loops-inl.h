// Loops over spans of f32 or f64 with SIMD vectors, for any length.
//
// Included once for each target, see hwy/highway.h.
#if defined(HEED_KERNELS_CPU_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_CPU_LOOPS_INL_H_
#undef HEED_KERNELS_CPU_LOOPS_INL_H_
#else
#define HEED_KERNELS_CPU_LOOPS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "heed/base/threads.h"
#include "heed/tensor/tensor.h"

// Attributes of a lambda that is the body of a loop. Inlining is forced,
// because compilers do not inline bodies as large as a tanh.
#define HEED_LANES HWY_ATTR __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Elements per chunk of a parallel loop over cheap work: about 10 us.
inline constexpr int64_t kChunk = 65536;

/// Number of rows per chunk.
inline int64_t RowGrain(int64_t cols) {
  return std::max<int64_t>(1, kChunk / std::max<int64_t>(1, cols));
}

/// Calls f with a zero of the element type of a floating-point tensor.
template <class F>
HWY_INLINE auto WithFloat(const Tensor& x, const F& f) {
  if (x.dtype() == DType::kF64) return f(double{});
  assert(x.dtype() == DType::kF32);
  return f(float{});
}

/// Calls body(zero, r) for rows r in [0, rows) with `cols` elements of work,
/// with a zero of the element type of `like`.
template <class Body>
HWY_INLINE void ForEachRow(const Tensor& like, int64_t rows, int64_t cols,
                           const Body& body) {
  WithFloat(like, [&](auto zero) HWY_ATTR {
    ParallelFor(rows, RowGrain(cols), [&](int64_t begin, int64_t end) HWY_ATTR {
      for (int64_t r = begin; r < end; ++r) body(zero, r);
    });
  });
}

/// Loads the first n <= Lanes(d) lanes from p; the others are 0.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadPart(D d, const T* p, size_t n) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T lanes[hn::MaxLanes(d)] = {};
  std::memcpy(lanes, p, n * sizeof(T));
  return hn::Load(d, lanes);
#else
  return hn::MaskedLoad(hn::FirstN(d, n), d, p);
#endif
}

/// Stores the first n <= Lanes(d) lanes of v to p.
template <class D, class V, typename T = hn::TFromD<D>>
HWY_INLINE void StorePart(D d, V v, T* p, size_t n) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  hn::Store(v, d, lanes);
  std::memcpy(p, lanes, n * sizeof(T));
#else
  hn::BlendedStore(v, hn::FirstN(d, n), d, p);
#endif
}

/// y[i] = f(d, x[i]...) for i in [0, n). Inputs may be y itself.
template <typename T, class F, typename... In>
HWY_INLINE void MapSpan(int64_t n, const F& f, T* y, const In*... x) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(f(d, hn::LoadU(d, x + i)...), d, y + i);
  }
  if (i < n) {
    const auto rest = static_cast<size_t>(n - i);
    StorePart(d, f(d, LoadPart(d, x + i, rest)...), y + i, rest);
  }
}

/// Elements per vector of the widest instruction set.
template <typename T>
inline constexpr int64_t kWideLanes = 64 / sizeof(T);

/// Number of vectors that hold kWideLanes elements. Sums are kept separately
/// for each element of a wide vector, so that results do not depend on the
/// vector width. Results of the scalar target differ anyway, because it lacks
/// fused multiply-add.
template <typename T>
inline constexpr int64_t kParts =
    HWY_TARGET == HWY_SCALAR
        ? 1
        : std::max<int64_t>(
              1, kWideLanes<T> /
                     static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>())));

/// Vector as wide as those of the widest instruction set.
template <typename T>
struct WideVector {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  explicit HWY_INLINE WideVector(T all = 0) {
    for (V& v : part) v = hn::Set(D(), all);
  }
  HWY_INLINE V& operator[](int64_t p) { return part[p]; }

  /// Combines all elements: halves with each other, then quarters ..
  template <class Combine>
  HWY_INLINE T Fold(const Combine& combine) {
    for (int64_t n = kParts<T> / 2; n > 0; n /= 2) {
      for (int64_t p = 0; p < n; ++p) part[p] = combine(part[p], part[p + n]);
    }
    return FoldVector(D(), part[0], combine);
  }
  HWY_INLINE T Sum() {
    return Fold([](auto a, auto b) HEED_LANES { return hn::Add(a, b); });
  }

  V part[kParts<T>];

 private:
  template <class DV, class Combine>
  static HWY_INLINE T FoldVector(DV d, hn::Vec<DV> v, const Combine& combine) {
#if HWY_TARGET != HWY_SCALAR
    if constexpr (hn::MaxLanes(d) > 1) {
      const hn::Half<DV> half;
      return FoldVector(half,
                        combine(hn::LowerHalf(half, v), hn::UpperHalf(half, v)),
                        combine);
    }
#endif
    static_cast<void>(d);
    static_cast<void>(combine);
    return hn::GetLane(v);
  }
};

/// Reduction: combines map(d, x[i]...) over i in [0, n), by element of a wide
/// vector, from `init`. Four chains hide the latency of `combine` and keep
/// rounding errors small.
template <typename T, class Map, class Combine, typename... In>
HWY_INLINE WideVector<T> ReduceSpan(int64_t n, T init, const Map& map,
                                    const Combine& combine, const In*... x) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t kChains = 4;
  const int64_t block = kParts<T> * lanes;
  WideVector<T> a[kChains] = {WideVector<T>(init), WideVector<T>(init),
                              WideVector<T>(init), WideVector<T>(init)};
  const auto add = [&](WideVector<T>& to, int64_t i) HEED_LANES {
    for (int64_t p = 0; p < kParts<T>; ++p, i += lanes) {
      to[p] = combine(to[p], map(d, hn::LoadU(d, x + i)...));
    }
  };
  int64_t i = 0;
  for (; i + kChains * block <= n; i += kChains * block) {
    for (int64_t c = 0; c < kChains; ++c) add(a[c], i + c * block);
  }
  for (; i + block <= n; i += block) add(a[0], i);
  for (int64_t p = 0; p < kParts<T> && i < n; ++p, i += lanes) {
    const auto rest = static_cast<size_t>(std::min(lanes, n - i));
    const auto v = combine(a[1][p], map(d, LoadPart(d, x + i, rest)...));
    a[1][p] = hn::IfThenElse(hn::FirstN(d, rest), v, a[1][p]);
  }
  for (int64_t p = 0; p < kParts<T>; ++p) {
    a[0][p] = combine(combine(a[0][p], a[1][p]), combine(a[2][p], a[3][p]));
  }
  return a[0];
}

/// sum over i in [0, n) of map(d, x[i]...).
template <typename T, class Map, typename... In>
HWY_INLINE T SumSpan(int64_t n, const Map& map, const In*... x) {
  const auto add = [](auto a, auto b) HEED_LANES { return hn::Add(a, b); };
  return ReduceSpan<T>(n, T(0), map, add, x...).Sum();
}

/// Maximum of n >= 1 elements; unspecified if there are NaN.
template <typename T>
HWY_INLINE T MaxSpan(int64_t n, const T* x) {
  const auto self = [](auto, auto v) HEED_LANES { return v; };
  const auto max = [](auto a, auto b) HEED_LANES { return hn::Max(a, b); };
  return ReduceSpan<T>(n, x[0], self, max, x).Fold(max);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_CPU_LOOPS_INL_H_
