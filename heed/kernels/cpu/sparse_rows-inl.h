// Sums over the entries of a row of a sparse matrix, or over the edges of a
// node of a graph.
//
// Included once for each target, see hwy/highway.h.
#if defined(HEED_KERNELS_CPU_SPARSE_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_CPU_SPARSE_ROWS_INL_H_
#undef HEED_KERNELS_CPU_SPARSE_ROWS_INL_H_
#else
#define HEED_KERNELS_CPU_SPARSE_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "heed/kernels/cpu/attention_pairs-inl.h"
#include "heed/kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// Entries of one row: edge(i) is in column row(i), a row of the other factor.
struct Edges {
  const int32_t* list;  // edge numbers; null: first, first + 1, ..
  const int32_t* rows;  // indexed by edge number
  int64_t first;
  int64_t size;

  int64_t edge(int64_t i) const {
    return list == nullptr ? first + i : list[first + i];
  }
  int64_t row(int64_t i) const { return rows[edge(i)]; }
};

template <typename T>
HWY_INLINE T DotSpan(int64_t n, const T* x, const T* y) {
  return SumSpan<T>(
      n, [](auto, auto a, auto b) HEED_LANES { return hn::Mul(a, b); }, x, y);
}

/// y += scale sum over the edges of c x, c indexed by edge number. Four vectors
/// at a time, to traverse the list less often.
template <typename T>
void AddRows(const Edges& edges, int64_t cols, T scale, const T* c,
             Rows<const T> x, T* y) {
  const hn::ScalableTag<T> d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  int64_t begin = 0;
  for (; begin + 4 * step <= cols; begin += 4 * step) {
    auto s0 = hn::Zero(d);
    auto s1 = s0;
    auto s2 = s0;
    auto s3 = s0;
    for (int64_t i = 0; i < edges.size; ++i) {
      const auto factor = hn::Set(d, c[edges.edge(i)]);
      const T* from = x[edges.row(i)] + begin;
      s0 = hn::MulAdd(factor, hn::LoadU(d, from), s0);
      s1 = hn::MulAdd(factor, hn::LoadU(d, from + step), s1);
      s2 = hn::MulAdd(factor, hn::LoadU(d, from + 2 * step), s2);
      s3 = hn::MulAdd(factor, hn::LoadU(d, from + 3 * step), s3);
    }
    T* to = y + begin;
    for (const auto& sum : {s0, s1, s2, s3}) {
      hn::StoreU(hn::MulAdd(hn::Set(d, scale), sum, hn::LoadU(d, to)), d, to);
      to += step;
    }
  }
  ForLanes<T>(cols - begin, [&](auto lanes, int64_t a) HEED_LANES {
    auto sum = hn::Zero(lanes.d);
    for (int64_t i = 0; i < edges.size; ++i) {
      sum = hn::MulAdd(hn::Set(lanes.d, c[edges.edge(i)]),
                       lanes.Load(x[edges.row(i)] + begin + a), sum);
    }
    T* to = y + begin + a;
    lanes.Store(hn::MulAdd(hn::Set(lanes.d, scale), sum, lanes.Load(to)), to);
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_CPU_SPARSE_ROWS_INL_H_
