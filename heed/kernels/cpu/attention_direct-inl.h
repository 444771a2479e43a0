// Blocks of scores computed directly from the rows of q and k.
//
// Included once for each target, see hwy/highway.h.
#if defined(HEED_KERNELS_CPU_ATTENTION_DIRECT_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_CPU_ATTENTION_DIRECT_INL_H_
#undef HEED_KERNELS_CPU_ATTENTION_DIRECT_INL_H_
#else
#define HEED_KERNELS_CPU_ATTENTION_DIRECT_INL_H_
#endif

#include <hwy/cache_control.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "heed/kernels/cpu/attention_pairs-inl.h"
#include "heed/kernels/cpu/attention_rows-inl.h"
#include "heed/kernels/cpu/small_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// Maximum size of a block of scores of one head.
inline constexpr int64_t kQueries = 8;
inline constexpr int64_t kKeys = 64;
inline constexpr int64_t kBlock = kQueries * kKeys;

/// Number of keys processed for all heads before the next keys.
inline constexpr int64_t kStep = 8;

inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Columns of head h of x [B, .., h * width], starting at `row` of batch row b.
template <typename T = float>
Matrix<const T> HeadOf(const Tensor& x, int64_t b, int64_t row, int64_t h,
                       int64_t width) {
  return {x.row<T>(b * x.dim(1) + row) + h * width, x.row_stride()};
}
inline Matrix<float> HeadOf(Tensor& x, int64_t b, int64_t row, int64_t h,
                            int64_t width) {
  return {x.row<float>(b * x.dim(1) + row) + h * width, x.row_stride()};
}

template <typename T>
Rows<T> AsRows(Matrix<T> x) {
  return {x.first, x.row_stride};
}

/// Block of query rows of batch row b.
struct Queries {
  int64_t b, t, rows;
};

inline int64_t KeyHead(const AttentionArgs& args, int64_t h) {
  return h / (args.heads / args.key_heads);
}
inline Matrix<const float> QueryRows(const AttentionArgs& args,
                                     const Queries& q, int64_t h) {
  return HeadOf(args.q, q.b, q.t, h, args.features());
}
template <typename K = float>
Matrix<const K> KeyRows(const AttentionArgs& args, const Queries& q, int64_t h,
                        int64_t s) {
  return HeadOf<K>(args.k, q.b, s, KeyHead(args, h), args.features());
}
template <typename K = float>
Matrix<const K> ValueRows(const AttentionArgs& args, const Queries& q,
                          int64_t h, int64_t s) {
  return HeadOf<K>(args.v, q.b, s, KeyHead(args, h), args.value_features());
}

/// Narrows `keys` to those that a query may attend to, so that fully masked
/// keys, such as padding, are not read.
inline MaskRule::Extent Narrow(const AttentionArgs& args, const Queries& q,
                               Range& keys) {
  using Extent = MaskRule::Extent;
  if (args.mask == nullptr) return Extent::kAll;
  const int64_t t = args.query_offset + q.t;
  const Extent extent = args.mask->Block(q.b, {t, t + q.rows}, keys);
  if (extent == Extent::kAll) return extent;
  const Range all = keys;
  keys = {all.end, all.begin};
  if (extent == Extent::kNone) return extent;
  for (int64_t r = 0; r < q.rows; ++r) {
    uint8_t may[kKeys];
    args.mask->Row(q.b, t + r, all, may);
    int64_t s = all.begin;
    while (s < keys.begin && may[s - all.begin] == 0) ++s;
    keys.begin = s;
    s = all.end;
    while (s > keys.end && may[s - 1 - all.begin] == 0) --s;
    keys.end = s;
  }
  return extent;
}

/// Calls body(block, extent) for blocks of keys that a query may attend to, in
/// order.
template <class Body>
void ForBlocks(const AttentionArgs& args, const Queries& q, Range keys,
               const Body& body) {
  for (int64_t s = keys.begin; s < keys.end; s += kKeys) {
    Range block{s, std::min(keys.end, s + kKeys)};
    const MaskRule::Extent extent = Narrow(args, q, block);
    if (block.size() > 0) body(block, extent);
  }
}

/// Scores of head h in e [kQueries, kKeys].
inline ScoreBlock BlockOf(float* e, const Queries& q, int64_t h, Range keys) {
  return {e, kKeys, q.b, h, q.t, q.rows, keys.begin, keys.size()};
}

/// Calls body(h, step). With several heads a step covers a few whole rows, so
/// that a long cache is read sequentially.
template <class Body>
HWY_INLINE void ForSteps(Range heads, Range keys, const Body& body) {
  const int64_t size = heads.size() > 1 ? kStep : kKeys;
  for (int64_t s = keys.begin; s < keys.end; s += size) {
    const Range step{s, std::min(keys.end, s + size)};
    for (int64_t h = heads.begin; h < heads.end; ++h) body(h, step);
  }
}

/// Prefetches the rows of x [rows, cols] of the next step of ForSteps, whose
/// order defeats the hardware prefetcher.
template <typename K>
void Prefetch(Matrix<const K> x, int64_t rows, Range step, int64_t cols) {
  constexpr int64_t kLine = 64 / sizeof(K);
  for (int64_t s = step.end; s < std::min(rows, step.end + kStep); ++s) {
    for (int64_t c = 0; c < cols; c += kLine) hwy::Prefetch(x[s] + c);
  }
}

/// Scores of `heads` for blocks of queries and keys, before modifiers, in e
/// [heads, kQueries, kKeys]. K: storage type of keys.
template <typename K = float>
void DirectScores(const AttentionArgs& args, const Queries& q, Range heads,
                  Range keys, float* e) {
  const int64_t features = args.features();
  const auto value = static_cast<float>(args.value);
  if (args.score != AttentionArgs::Score::kDot) {
    assert((std::is_same_v<K, float>));
    for (int64_t h = heads.begin; h < heads.end; ++h) {
      PairScoresTile(args.score, value, AsRows(QueryRows(args, q, h)),
                     AsRows(KeyRows(args, q, h, keys.begin)),
                     args.w.data<float>() + h * features, q.rows, keys.size(),
                     features, e + (h - heads.begin) * kBlock, kKeys);
    }
    return;
  }
  ForSteps(heads, keys, [&](int64_t h, Range step) HWY_ATTR {
    if (heads.size() > 1) {
      Prefetch(KeyRows<K>(args, q, h, 0), args.keys(), step, features);
    }
    DotProducts(
        q.rows, step.size(), features, value, QueryRows(args, q, h),
        KeyRows<K>(args, q, h, step.begin),
        Matrix<float>{e + (h - heads.begin) * kBlock + step.begin - keys.begin,
                      kKeys});
  });
}

/// y = exp(x - shift).
inline void ExpSpan(int64_t n, float shift, const float* x, float* y) {
  MapSpan(
      n,
      [=](auto d, auto v)
          HEED_LANES { return Exp(d, hn::Sub(v, hn::Set(d, shift))); },
      y, x);
}

/// y = x1 * x2.
inline void MulSpan(int64_t n, const float* x1, const float* x2, float* y) {
  MapSpan(
      n, [](auto, auto a, auto b) HEED_LANES { return hn::Mul(a, b); }, y, x1,
      x2);
}

/// Weights of a row from its scores, before factors.
inline void WeightsRow(int64_t n, float log_sum, const float* e, float* a) {
  // If all keys are masked, every score is -infinity.
  ExpSpan(n, std::isinf(log_sum) ? 0.0F : log_sum, e, a);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_CPU_ATTENTION_DIRECT_INL_H_
