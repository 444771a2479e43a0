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

// Attributes of a lambda that is the body of a loop here. Inlining is forced:
// with a tanh in it, a body is otherwise beyond what compilers inline.
#define HEED_LANES HWY_ATTR __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Elements of a chunk of a parallel loop over cheap work: some 10 us.
inline constexpr int64_t kChunk = 65536;

/// Rows of a chunk.
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

/// The first n < Lanes(d) lanes from p; the others are 0.
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

/// Stores the first n < Lanes(d) lanes of v to p.
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

/// combine over i in [0, n) of map(d, x[i]...), lane by lane, from `init`. Four
/// chains hide the latency of combine and keep rounding errors small.
template <typename T, class Map, class Combine, typename... In>
HWY_INLINE hn::Vec<hn::ScalableTag<T>> ReduceSpan(int64_t n, T init,
                                                  const Map& map,
                                                  const Combine& combine,
                                                  const In*... x) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto a0 = hn::Set(d, init);
  auto a1 = a0;
  auto a2 = a0;
  auto a3 = a0;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a0 = combine(a0, map(d, hn::LoadU(d, x + i)...));
    a1 = combine(a1, map(d, hn::LoadU(d, x + i + lanes)...));
    a2 = combine(a2, map(d, hn::LoadU(d, x + i + 2 * lanes)...));
    a3 = combine(a3, map(d, hn::LoadU(d, x + i + 3 * lanes)...));
  }
  for (; i + lanes <= n; i += lanes) {
    a0 = combine(a0, map(d, hn::LoadU(d, x + i)...));
  }
  if (i < n) {
    const auto rest = static_cast<size_t>(n - i);
    const auto v = combine(a1, map(d, LoadPart(d, x + i, rest)...));
    a1 = hn::IfThenElse(hn::FirstN(d, rest), v, a1);
  }
  return combine(combine(a0, a1), combine(a2, a3));
}

/// sum over i in [0, n) of map(d, x[i]...).
template <typename T, class Map, typename... In>
HWY_INLINE T SumSpan(int64_t n, const Map& map, const In*... x) {
  const hn::ScalableTag<T> d;
  const auto add = [](auto a, auto b) HEED_LANES { return hn::Add(a, b); };
  return hn::GetLane(hn::SumOfLanes(d, ReduceSpan<T>(n, T(0), map, add, x...)));
}

/// Maximum of n >= 1 elements; which one if there are NaN is open.
template <typename T>
HWY_INLINE T MaxSpan(int64_t n, const T* x) {
  const hn::ScalableTag<T> d;
  const auto self = [](auto, auto v) HEED_LANES { return v; };
  const auto max = [](auto a, auto b) HEED_LANES { return hn::Max(a, b); };
  return hn::GetLane(hn::MaxOfLanes(d, ReduceSpan<T>(n, x[0], self, max, x)));
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_CPU_LOOPS_INL_H_
