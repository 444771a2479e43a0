#include "heed/kernels/step_attention.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/step_attention.cc"
#include <hwy/foreach_target.h>

#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/cpu/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

using FloatD = hn::ScalableTag<float>;
using FloatV = hn::Vec<FloatD>;

/// Loads a vector of keys as f32; `n` elements if it is partial.
HWY_INLINE FloatV LoadKeys(FloatD d, const float* p) { return hn::LoadU(d, p); }
HWY_INLINE FloatV LoadKeys(FloatD d, const float* p, size_t n) {
  return LoadPart(d, p, n);
}
HWY_INLINE FloatV LoadKeys(FloatD d, const bfloat16* p) {
  return WholeLanes<float>{d}.Load(p);
}
HWY_INLINE FloatV LoadKeys(FloatD d, const bfloat16* p, size_t n) {
  return FirstLanes<float>{d, n}.Load(p);
}

/// Loads the first n elements, at most a vector.
template <typename K>
HWY_INLINE FloatV LoadFirst(FloatD d, const K* p, size_t n) {
  return n == hn::Lanes(d) ? LoadKeys(d, p) : LoadKeys(d, p, n);
}

/// Two vectors of keys. For bf16 they hold the even and the odd elements of a
/// block, which takes fewer instructions than the original order.
struct Pair {
  FloatV first;
  FloatV second;
};
HWY_INLINE Pair LoadPair(FloatD d, const float* p) {
  return {hn::LoadU(d, p), hn::LoadU(d, p + hn::Lanes(d))};
}
HWY_INLINE void StorePair(FloatD d, const float* /*like*/, FloatV a, FloatV b,
                          float* y) {
  hn::StoreU(a, d, y);
  hn::StoreU(b, d, y + hn::Lanes(d));
}
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE Pair LoadPair(FloatD d, const bfloat16* p) {
  return {LoadKeys(d, p), LoadKeys(d, p + 1)};
}
HWY_INLINE void StorePair(FloatD d, const bfloat16* /*like*/, FloatV a,
                          FloatV b, float* y) {
  StorePair(d, y, a, b, y);
}
/// Permutes a head's query into the order of LoadPair for bf16 keys.
HWY_INLINE void ArrangeQuery(int64_t n, const float* q, float* arranged) {
  std::copy(q, q + n, arranged);
}
#else
HWY_INLINE Pair LoadPair(FloatD d, const bfloat16* p) {
  const hn::RebindToUnsigned<FloatD> du;
  const hn::Repartition<uint16_t, FloatD> d16;
  const auto both = hn::BitCast(du, hn::LoadU(d16, &p->bits));
  return {hn::BitCast(d, hn::ShiftLeft<16>(both)),
          hn::BitCast(d, hn::And(both, hn::Set(du, 0xFFFF0000U)))};
}
HWY_INLINE void StorePair(FloatD d, const bfloat16* /*like*/, FloatV a,
                          FloatV b, float* y) {
  hn::StoreInterleaved2(a, b, d, y);
}
HWY_INLINE void ArrangeQuery(int64_t n, const float* q, float* arranged) {
  const FloatD d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    FloatV even, odd;
    hn::LoadInterleaved2(d, q + i, even, odd);
    hn::StoreU(even, d, arranged + i);
    hn::StoreU(odd, d, arranged + i + lanes);
  }
  std::copy(q + i, q + n, arranged + i);
}
#endif

/// Head sizes of a row.
struct Heads {
  int64_t heads;
  int64_t group;     // query heads per key head
  int64_t features;  // D
  float scale;

  int64_t key_head(int64_t h) const { return group == 1 ? h : h / group; }
  int64_t keys() const { return heads / group * features; }
};

/// Calls two(i, part) for columns i of n, two vectors at a time, then one(i,
/// part, rest) for the rest, `rest` columns of a vector. `part` is the index of
/// the first vector in a WideVector.
template <class Two, class One>
HWY_INLINE void ForPairs(int64_t n, const Two& two, const One& one) {
  const FloatD d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t kVectors = std::max<int64_t>(2, kParts<float>);
  int64_t i = 0;
  for (; i + kVectors * lanes <= n; i += kVectors * lanes) {
    for (int64_t p = 0; p < kVectors; p += 2) two(i + p * lanes, p);
  }
  const auto last = [&](int64_t part) HEED_LANES {
    if (i >= n) return;
    one(i, part, static_cast<size_t>(std::min(lanes, n - i)));
    i += lanes;
  };
  if constexpr (kVectors > 2) {
    if (i + 2 * lanes <= n) {
      two(i, 0);
      i += 2 * lanes;
      last(2);
      last(3);
      return;
    }
  }
  last(0);
  last(1);
}

/// Sums for vector `part`.
HWY_INLINE FloatV& SumOf(WideVector<float>& sums, int64_t part) {
  return sums[part % kParts<float>];
}

template <typename K>
HWY_INLINE float DotProduct(int64_t n, const float* q, const K* k) {
  const FloatD d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  WideVector<float> sums;
  ForPairs(
      n,
      [&](int64_t i, int64_t part) HEED_LANES {
        const Pair pair = LoadPair(d, k + i);
        FloatV& first = SumOf(sums, part);
        first = hn::MulAdd(hn::LoadU(d, q + i), pair.first, first);
        FloatV& second = SumOf(sums, part + 1);
        second = hn::MulAdd(hn::LoadU(d, q + i + lanes), pair.second, second);
      },
      [&](int64_t i, int64_t part, size_t rest) HEED_LANES {
        FloatV& sum = SumOf(sums, part);
        sum = hn::MulAdd(LoadFirst(d, q + i, rest), LoadFirst(d, k + i, rest),
                         sum);
      });
  return sums.Sum();
}

#if HWY_TARGET == HWY_SCALAR

template <typename K>
void FourScores(const Heads& n, const float* q, const K* const* keys,
                int64_t column, float* scores) {
  for (int s = 0; s < 4; ++s) {
    scores[s] = n.scale * DotProduct(n.features, q, keys[s] + column);
  }
}

#else

/// v folded to four elements, in the order of WideVector::Fold.
template <class D>
HWY_INLINE hn::Vec<hn::FixedTag<float, 4>> FourOf(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(d) == 4) {
    return v;
  } else {
    const hn::Half<D> half;
    return FourOf(half,
                  hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}
HWY_INLINE hn::Vec<hn::FixedTag<float, 4>> FourOf(WideVector<float>& sums) {
  for (int64_t n = kParts<float> / 2; n > 0; n /= 2) {
    for (int64_t p = 0; p < n; ++p) sums[p] = hn::Add(sums[p], sums[p + n]);
  }
  return FourOf(FloatD(), sums[0]);
}

/// Sums of four wide vectors in one vector, in the order of WideVector::Sum.
HWY_INLINE hn::Vec<hn::FixedTag<float, 4>> SumsOf(WideVector<float>& a,
                                                  WideVector<float>& b,
                                                  WideVector<float>& c,
                                                  WideVector<float>& e) {
  const hn::FixedTag<float, 4> d;
  const hn::Repartition<uint64_t, decltype(d)> d64;
  const auto a4 = FourOf(a);
  const auto b4 = FourOf(b);
  const auto c4 = FourOf(c);
  const auto e4 = FourOf(e);
  // a0 + a2, b0 + b2, a1 + a3, b1 + b3.
  const auto ab =
      hn::Add(hn::InterleaveLower(d, a4, b4), hn::InterleaveUpper(d, a4, b4));
  const auto ce =
      hn::Add(hn::InterleaveLower(d, c4, e4), hn::InterleaveUpper(d, c4, e4));
  const auto lower =
      hn::InterleaveLower(d64, hn::BitCast(d64, ab), hn::BitCast(d64, ce));
  const auto upper =
      hn::InterleaveUpper(d64, hn::BitCast(d64, ab), hn::BitCast(d64, ce));
  return hn::Add(hn::BitCast(d, lower), hn::BitCast(d, upper));
}

/// scale q k of four keys, from column `column` on.
template <typename K>
HWY_INLINE void FourScores(const Heads& n, const float* q, const K* const* keys,
                           int64_t column, float* scores) {
  const FloatD d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const K* k0 = keys[0] + column;
  const K* k1 = keys[1] + column;
  const K* k2 = keys[2] + column;
  const K* k3 = keys[3] + column;
  WideVector<float> s0, s1, s2, s3;
  ForPairs(
      n.features,
      [&](int64_t i, int64_t part) HEED_LANES {
        const FloatV even = hn::LoadU(d, q + i);
        const FloatV odd = hn::LoadU(d, q + i + lanes);
        const auto add = [&](const K* k, WideVector<float>& sums) HEED_LANES {
          const Pair pair = LoadPair(d, k + i);
          FloatV& first = SumOf(sums, part);
          first = hn::MulAdd(even, pair.first, first);
          FloatV& second = SumOf(sums, part + 1);
          second = hn::MulAdd(odd, pair.second, second);
        };
        add(k0, s0);
        add(k1, s1);
        add(k2, s2);
        add(k3, s3);
      },
      [&](int64_t i, int64_t part, size_t rest) HEED_LANES {
        const FloatV query = LoadFirst(d, q + i, rest);
        const auto add = [&](const K* k, WideVector<float>& sums) HEED_LANES {
          FloatV& sum = SumOf(sums, part);
          sum = hn::MulAdd(query, LoadFirst(d, k + i, rest), sum);
        };
        add(k0, s0);
        add(k1, s1);
        add(k2, s2);
        add(k3, s3);
      });
  const hn::FixedTag<float, 4> d4;
  hn::StoreU(hn::Mul(hn::Set(d4, n.scale), SumsOf(s0, s1, s2, s3)), d4, scores);
}

#endif  // HWY_TARGET == HWY_SCALAR

/// Prefetches n elements into the cache.
template <typename K>
HWY_INLINE void PrefetchSpan(int64_t n, const K* p) {
  constexpr auto kLine = static_cast<int64_t>(64 / sizeof(K));
  for (int64_t i = 0; i < n; i += 4 * kLine) {
    hwy::Prefetch(p + i);
    hwy::Prefetch(p + i + kLine);
    hwy::Prefetch(p + i + 2 * kLine);
    hwy::Prefetch(p + i + 3 * kLine);
  }
}

/// scores[h, s] for all heads and keys. Prefetches later keys and the values of
/// these keys, unless the previous row used them.
template <typename K>
void Scores(const Heads& n, const float* q, int64_t count, const K* const* keys,
            const K* const* before, float* scores) {
  constexpr int64_t kAhead = 4;
  int64_t s = 0;
  for (; s + 4 <= count; s += 4) {
    for (int64_t i = s; i < s + 4; ++i) {
      if (keys[i] == before[i]) continue;
      if (i + kAhead < count) PrefetchSpan(n.keys(), keys[i + kAhead]);
      PrefetchSpan(n.keys(), keys[i] + n.keys());
    }
    for (int64_t h = 0; h < n.heads; ++h) {
      FourScores(n, q + h * n.features, keys + s, n.key_head(h) * n.features,
                 scores + h * count + s);
    }
  }
  for (; s < count; ++s) {
    for (int64_t h = 0; h < n.heads; ++h) {
      scores[h * count + s] =
          n.scale * DotProduct(n.features, q + h * n.features,
                               keys[s] + n.key_head(h) * n.features);
    }
  }
}

/// y = sum_s a[s] values[s] for four vectors of columns from `column` on. Two
/// sums per vector hide the latency of additions.
template <typename K>
HWY_INLINE void SumFourVectors(int64_t count, const float* a,
                               const K* const* keys, int64_t column, float* y) {
  const FloatD d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  FloatV s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  FloatV t0 = s0, t1 = s0, t2 = s0, t3 = s0;
  const auto add = [&](int64_t s, FloatV& v0, FloatV& v1, FloatV& v2,
                       FloatV& v3) HEED_LANES {
    const FloatV weight = hn::Set(d, a[s]);
    const Pair left = LoadPair(d, keys[s] + column);
    const Pair right = LoadPair(d, keys[s] + column + 2 * lanes);
    v0 = hn::MulAdd(weight, left.first, v0);
    v1 = hn::MulAdd(weight, left.second, v1);
    v2 = hn::MulAdd(weight, right.first, v2);
    v3 = hn::MulAdd(weight, right.second, v3);
  };
  int64_t s = 0;
  for (; s + 2 <= count; s += 2) {
    add(s, s0, s1, s2, s3);
    add(s + 1, t0, t1, t2, t3);
  }
  if (s < count) add(s, s0, s1, s2, s3);
  const K* like = nullptr;
  StorePair(d, like, hn::Add(s0, t0), hn::Add(s1, t1), y);
  StorePair(d, like, hn::Add(s2, t2), hn::Add(s3, t3), y + 2 * lanes);
}

/// y = sum_s a[s] values[s] for n columns from `column` on.
template <typename K>
void WeightedSum(int64_t n, int64_t count, const float* a, const K* const* keys,
                 int64_t column, float* y) {
  const FloatD d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    SumFourVectors(count, a, keys, column + i, y + i);
  }
  for (; i < n; i += lanes) {
    const auto rest = static_cast<size_t>(std::min(lanes, n - i));
    // Two sums, as in SumFourVectors, which computes these columns at other
    // widths.
    FloatV even = hn::Zero(d);
    FloatV odd = even;
    const auto add = [&](int64_t s, FloatV& sum) HEED_LANES {
      sum = hn::MulAdd(hn::Set(d, a[s]),
                       LoadFirst(d, keys[s] + column + i, rest), sum);
    };
    int64_t s = 0;
    for (; s + 2 <= count; s += 2) {
      add(s, even);
      add(s + 1, odd);
    }
    if (s < count) add(s, even);
    StorePart(d, hn::Add(even, odd), y + i, rest);
  }
}

/// Attention of one row. `keys` point to rows of keys and values, `before` to
/// those of the previous row. Sets weights [H, count].
template <typename K>
void AttendRow(const Heads& n, const float* q, int64_t count,
               const K* const* keys, const K* const* before, float* weights,
               float* context) {
  Scores(n, q, count, keys, before, weights);
  for (int64_t h = 0; h < n.heads; ++h) {
    float* own = weights + h * count;
    SoftmaxSpan(count, own, own);
    WeightedSum(n.features, count, own, keys,
                n.keys() + n.key_head(h) * n.features,
                context + h * n.features);
  }
}

/// mean[s] = mean over heads of weights[h, s].
void MeanOfHeads(int64_t heads, int64_t count, const float* weights,
                 float* mean) {
  for (int64_t s = 0; s < count; ++s) {
    float sum = 0;
    for (int64_t h = 0; h < heads; ++h) sum += weights[h * count + s];
    mean[s] = sum / static_cast<float>(heads);
  }
}

/// Attention of all rows. find(r, keys) sets `keys` to the keys of row r and
/// returns their number, at most `max`.
template <typename K, class Find>
Tensor AttendRows(const StepQueries& queries, int64_t max, Tensor* weights,
                  int64_t head, const Find& find) {
  const Tensor& q = queries.q;
  const Heads n = {queries.heads, queries.heads / queries.key_heads,
                   q.cols() / queries.heads, static_cast<float>(queries.scale)};
  Tensor context({q.rows(), q.cols()});
  ParallelFor(q.rows(), RowGrain(2 * (max + 1) * q.cols()),
              [&](int64_t begin, int64_t end) HWY_ATTR {
                Tensor own({n.heads, max + 1});
                Tensor arranged({q.cols()});
                std::vector<const K*> pointers(static_cast<size_t>(2 * max));
                const K** keys = pointers.data();
                const K** before = keys + max;
                for (int64_t r = begin; r < end; ++r) {
                  std::swap(keys, before);
                  const int64_t count = find(r, keys);
                  const float* query = q.row<float>(r);
                  if constexpr (std::is_same_v<K, bfloat16>) {
                    for (int64_t h = 0; h < n.heads; ++h) {
                      ArrangeQuery(n.features, query + h * n.features,
                                   arranged.data<float>() + h * n.features);
                    }
                    query = arranged.data<float>();
                  }
                  AttendRow(n, query, count, keys, before, own.data<float>(),
                            context.row<float>(r));
                  if (weights == nullptr) continue;
                  const float* shown =
                      own.data<float>() + std::max<int64_t>(head, 0) * count;
                  MeanOfHeads(head < 0 ? n.heads : 1, count, shown,
                              weights->row<float>(r));
                }
              });
  return context;
}

}  // namespace

Tensor OverPositions(const StepQueries& queries,
                     std::span<const Tensor> positions, const Tensor& slots) {
  const auto count = static_cast<int64_t>(positions.size());
  const auto attend = [&]<typename K>(K) {
    return AttendRows<K>(queries, count, nullptr, -1,
                         [&](int64_t r, const K** keys) {
                           const int32_t* slot = slots.row<int32_t>(r);
                           for (int64_t s = 0; s < count; ++s) {
                             keys[s] = At(positions, s).row<K>(slot[s]);
                           }
                           return count;
                         });
  };
  return positions[0].dtype() == DType::kBF16 ? attend(bfloat16{})
                                              : attend(float{});
}

Tensor OverSource(const StepQueries& queries, const Tensor& source,
                  const Tensor& lengths, const Tensor& sources, Tensor* weights,
                  int64_t head) {
  const int64_t S = source.dim(1);
  const int64_t share =
      sources.numel() == 0 ? 1 : queries.q.rows() / sources.numel();
  const auto attend = [&]<typename K>(K) {
    return AttendRows<K>(queries, S, weights, head,
                         [&](int64_t r, const K** keys) {
                           const int64_t b = sources.data<int32_t>()[r / share];
                           const int64_t count = lengths.data<int32_t>()[b];
                           for (int64_t s = 0; s < count; ++s)
                             keys[s] = source.row<K>(b * S + s);
                           return count;
                         });
  };
  return source.dtype() == DType::kBF16 ? attend(bfloat16{}) : attend(float{});
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(OverPositions);
HWY_EXPORT(OverSource);

Tensor AttendPositions(const StepQueries& queries,
                       std::span<const Tensor> positions, const Tensor& slots) {
  assert(!positions.empty() && slots.rows() == queries.q.rows());
  return HWY_DYNAMIC_DISPATCH(OverPositions)(queries, positions, slots);
}

Tensor AttendSource(const StepQueries& queries, const Tensor& source,
                    const Tensor& lengths, const Tensor& sources,
                    Tensor* weights, int64_t head) {
  assert(head < queries.heads);
  if (weights != nullptr) {
    *weights = Tensor::Zeros({queries.q.rows(), source.dim(1)});
  }
  return HWY_DYNAMIC_DISPATCH(OverSource)(queries, source, lengths, sources,
                                          weights, head);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
