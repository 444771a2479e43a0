#include "heed/kernels/topk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/topk.cc"
#include <hwy/foreach_target.h>

#include <cmath>
#include <limits>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/loops-inl.h"
#include "heed/kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// Few enough to stay in the first cache from one look to the next.
constexpr int64_t kBlock = 1024;

/// a stands before b: it is greater, or b alone is NaN.
template <typename T>
HWY_INLINE bool Before(T a, T b) {
  return a > b || (b != b && a == a);
}

/// The k greatest so far, in order.
template <typename T>
struct Greatest {
  int k;
  T* values;
  int32_t* ids;

  T least() const { return values[k - 1]; }

  /// Inserts into `count` elements, behind those that are equal.
  HWY_INLINE void Insert(T value, int64_t id, int count) {
    int at = count;
    for (; at > 0 && Before(value, values[at - 1]); --at) {
      values[at] = values[at - 1];
      ids[at] = ids[at - 1];
    }
    values[at] = value;
    ids[at] = static_cast<int32_t>(id);
  }

  HWY_INLINE void Offer(T value, int64_t id) {
    if (Before(value, least())) Insert(value, id, k - 1);
  }
};

/// Greatest of n elements that are not NaN, and `lowest`.
template <typename T>
HWY_INLINE T MaxOfNumbers(int64_t n, const T* x) {
  const auto self = [](auto, auto v) HEED_LANES { return v; };
  const auto max = [](auto a, auto b) HEED_LANES {
    return hn::IfThenElse(hn::Gt(b, a), b, a);
  };
  return hn::GetLane(hn::MaxOfLanes(
      hn::ScalableTag<T>(),
      ReduceSpan<T>(n, std::numeric_limits<T>::lowest(), self, max, x)));
}

/// Offers x[begin, end). Vectors in which nothing is above the least so far are
/// left behind at the cost of a comparison. "Not <=" also stops for a NaN.
template <typename T>
void OfferAll(int64_t begin, int64_t end, const T* x, Greatest<T>& greatest) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    const auto least = hn::Set(d, greatest.least());
    if (HWY_LIKELY(hn::AllTrue(d, hn::Le(hn::LoadU(d, x + i), least)))) {
      continue;
    }
    for (int64_t j = i; j < i + lanes; ++j) greatest.Offer(x[j], j);
  }
  for (; i < end; ++i) greatest.Offer(x[i], i);
}

/// sum exp(x[i] - shift).
template <typename T>
HWY_INLINE T SumExpOf(int64_t n, const T* x, T shift) {
  const auto map = [&](auto d, auto v) HEED_LANES {
    return Exp(d, hn::Sub(v, hn::Set(d, shift)));
  };
  return SumSpan<T>(n, map, x);
}

/// Returns log sum exp(x) if it is wanted.
template <typename T>
double TopKRow(int64_t n, const T* x, Greatest<T> greatest, bool want_sum) {
  for (int i = 0; i < greatest.k; ++i) greatest.Insert(x[i], i, i);
  T max = std::numeric_limits<T>::lowest();
  double sum = 0;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(n, begin + kBlock);
    const T block_max = MaxOfNumbers(end - begin, x + begin);
    if (!(block_max <= greatest.least())) {
      OfferAll(std::max<int64_t>(begin, greatest.k), end, x, greatest);
    }
    if (!want_sum) continue;
    if (block_max > max) {
      sum *=
          std::exp(static_cast<double>(max) - static_cast<double>(block_max));
      max = block_max;
    }
    sum += static_cast<double>(SumExpOf(end - begin, x + begin, max));
  }
  return static_cast<double>(max) + std::log(sum);
}

void TopKRows(const Tensor& x, int k, Tensor& values, Tensor& ids,
              Tensor* log_sum) {
  const int64_t n = x.cols();
  WithFloat(x, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(
        x.rows(), RowGrain(n), [&](int64_t begin, int64_t end) HWY_ATTR {
          for (int64_t r = begin; r < end; ++r) {
            const double sum = TopKRow<T>(
                n, x.row<T>(r), {k, values.row<T>(r), ids.row<int32_t>(r)},
                log_sum != nullptr);
            if (log_sum != nullptr) log_sum->data<double>()[r] = sum;
          }
        });
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
HWY_EXPORT(TopKRows);

void TopK(const Tensor& x, int k, Tensor& values, Tensor& ids,
          Tensor* log_sum) {
  assert(k >= 1 && k <= x.cols());
  values = Tensor({x.rows(), k}, x.dtype());
  ids = Tensor({x.rows(), k}, DType::kI32);
  if (log_sum != nullptr) *log_sum = Tensor({x.rows()}, DType::kF64);
  HWY_DYNAMIC_DISPATCH(TopKRows)(x, k, values, ids, log_sum);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
