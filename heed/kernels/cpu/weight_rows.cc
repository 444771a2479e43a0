#include "heed/kernels/weight_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/weight_rows.cc"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>
#include <limits>
#include <vector>

#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

using FloatD = hn::ScalableTag<float>;

/// log2 x for normal x above 0, with an error of 1e-6. Faster than Log, as it
/// needs no division.
template <class D, class V>
HWY_INLINE V Log2(D d, V x) {
  // x = 2^e (1 + r) with 1 + r in [sqrt(1/2), sqrt(2)).
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, x);
  const auto sqrt_half = hn::Set(di, 0x3f3504f3);
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, sqrt_half));
  const V r =
      hn::Sub(hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent))),
              hn::Set(d, 1.0F));
  const V series =
      Horner(d, r, hn::Set(d, 0x1.587236p-3F), -0x1.12651ep-2F, 0x1.2f39f8p-2F,
             -0x1.70272ep-2F, 0x1.ec25d8p-2F, -0x1.715620p-1F, 0x1.715490p+0F);
  return hn::MulAdd(series, r, hn::ConvertTo(d, exponent));
}

/// Weights that may be among the largest of a row.
struct Candidates {
  explicit Candidates(int64_t columns)
      : weights(static_cast<size_t>(columns) + hn::MaxLanes(FloatD())),
        keys(weights.size()) {}

  std::vector<float> weights;
  std::vector<int32_t> keys;
  std::vector<uint64_t> order;  // weight and key as one number
};

/// Sets the sums of a row. Returns a number that at least kTopKeys weights
/// reach, or 0.
HWY_INLINE float SumRow(int64_t n, const float* a, int64_t first_key,
                        float key_unit, float place, WeightRow& row) {
  WideVector<float> sum, entropy, distance, max;
  ForParts<float>(n, [&](auto lanes, int64_t c) HEED_LANES {
    constexpr int64_t p = decltype(lanes)::kPart;
    const auto w = lanes.Load(a + c);
    const auto positive =
        hn::Max(w, hn::Set(lanes.d, std::numeric_limits<float>::min()));
    const auto key = hn::Iota(lanes.d, static_cast<float>(first_key + c));
    const auto away = hn::Abs(
        hn::MulSub(key, hn::Set(lanes.d, key_unit), hn::Set(lanes.d, place)));
    sum[p] = hn::Add(sum[p], w);
    entropy[p] = hn::NegMulAdd(w, Log2(lanes.d, positive), entropy[p]);
    distance[p] = hn::MulAdd(w, away, distance[p]);
    max[p] = hn::Max(max[p], w);
  });
  row.sum = sum.Sum();
  row.entropy = entropy.Sum();
  row.distance = distance.Sum();
  // Each element of a wide vector is the maximum of other columns.
  constexpr bool kEnough =
      kParts<float> * static_cast<int64_t>(hn::MaxLanes(FloatD())) >= kTopKeys;
  if (!kEnough) return 0;
  return max.Fold([](auto x, auto y) HEED_LANES { return hn::Min(x, y); });
}

/// Collects the positive weights from `least` on in the order of their keys;
/// returns their number. Has no branch, as it would often be mispredicted.
HWY_INLINE size_t Collect(int64_t n, const float* a, int64_t first_key,
                          float least, Candidates& found) {
  size_t count = 0;
  ForLanes<float>(n, [&](auto lanes, int64_t c) HEED_LANES {
    const hn::RebindToSigned<FloatD> di;
    const auto w = lanes.Load(a + c);
    const auto wanted = hn::And(hn::Ge(w, hn::Set(lanes.d, least)),
                                hn::Gt(w, hn::Zero(lanes.d)));
    const auto keys = hn::Iota(di, static_cast<int32_t>(first_key + c));
    // There is room for a whole vector.
    hn::StoreU(hn::Compress(keys, hn::RebindMask(di, wanted)), di,
               found.keys.data() + count);
    count += hn::CountTrue(lanes.d, wanted);
  });
  for (size_t i = 0; i < count; ++i) {
    found.weights[i] = a[found.keys[i] - first_key];
  }
  return count;
}

/// Sets order[r] to the candidate with the r-th largest weight. Counts for each
/// one those before it; a sort would mispredict most of its branches.
void Rank(size_t count, const float* weights, uint8_t* order) {
  const FloatD d;
  const hn::RebindToSigned<FloatD> di;
  int32_t ranks[hn::MaxLanes(FloatD())];
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto w = hn::LoadU(d, weights + i);
    const auto index = hn::Iota(di, static_cast<int32_t>(i));
    auto rank = hn::Zero(di);
    for (size_t j = 0; j < count; ++j) {
      const auto other = hn::Set(d, weights[j]);
      const auto earlier = hn::RebindMask(
          d, hn::Gt(index, hn::Set(di, static_cast<int32_t>(j))));
      const auto before =
          hn::Or(hn::Gt(other, w), hn::And(hn::Eq(other, w), earlier));
      rank = hn::Sub(rank, hn::VecFromMask(di, hn::RebindMask(di, before)));
    }
    hn::StoreU(rank, di, ranks);
    for (size_t lane = 0; lane < std::min(hn::Lanes(d), count - i); ++lane) {
      order[ranks[lane]] = static_cast<uint8_t>(i + lane);
    }
  }
}

/// Moves the candidates with the largest weights to the front, in the order of
/// their keys.
void KeepLargest(size_t& count, Candidates& found) {
  // Bits of positive floats are in the order of their values.
  found.order.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t weight = std::bit_cast<uint32_t>(found.weights[i]);
    found.order[i] = weight << 32 | ~static_cast<uint32_t>(found.keys[i]);
  }
  count = kTopKeys;
  const auto begin = found.order.begin();
  std::nth_element(begin, begin + kTopKeys, found.order.end(),
                   std::greater<>());
  for (size_t i = 0; i < count; ++i) {
    found.order[i] = ~found.order[i] << 32 | found.order[i] >> 32;
  }
  std::sort(begin, begin + kTopKeys);
  for (size_t i = 0; i < count; ++i) {
    found.keys[i] = static_cast<int32_t>(found.order[i] >> 32);
    found.weights[i] =
        std::bit_cast<float>(static_cast<uint32_t>(found.order[i]));
  }
}

/// Sets the keys of a row with the largest weights.
void SetTop(size_t count, Candidates& found, WeightRow& row) {
  constexpr size_t kMostRanked = 128;  // more only if many weights are equal
  if (count > kMostRanked) KeepLargest(count, found);
  uint8_t order[kMostRanked];
  Rank(count, found.weights.data(), order);
  row.count = static_cast<int32_t>(std::min<size_t>(count, kTopKeys));
  for (size_t i = 0; i < static_cast<size_t>(row.count); ++i) {
    row.keys[i] = found.keys[order[i]];
    row.top[i] = found.weights[order[i]];
  }
}

}  // namespace

void SummarizeRows(const Tensor& weights, const WeightPlaces& places,
                   std::span<WeightRow> rows) {
  const int64_t n = weights.cols();
  Candidates found(n);
  for (size_t i = 0; i < rows.size(); ++i) {
    const float* a = weights.row<float>(static_cast<int64_t>(i));
    const double query =
        static_cast<double>(places.first_query) + static_cast<double>(i);
    const float least =
        SumRow(n, a, places.first_key, static_cast<float>(places.key_unit),
               static_cast<float>(query * places.query_unit), rows[i]);
    SetTop(Collect(n, a, places.first_key, least, found), found, rows[i]);
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
HWY_EXPORT(SummarizeRows);

float WeightRow::rest() const {
  float kept = 0;
  for (int32_t i = 0; i < count; ++i) kept += top[static_cast<size_t>(i)];
  return std::max(0.0F, sum - kept);
}

void SummarizeWeights(const Tensor& weights, const WeightPlaces& places,
                      std::span<WeightRow> rows) {
  assert(weights.rows() == std::ssize(rows));
  HWY_DYNAMIC_DISPATCH(SummarizeRows)(weights, places, rows);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
