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

/// Block size that fits into the L1 cache for two passes.
constexpr int64_t kBlock = 1024;

/// True if a sorts before b: a is larger, or only b is NaN.
template <typename T>
HWY_INLINE bool Before(T a, T b) {
  return a > b || (b != b && a == a);
}

/// The k largest elements so far, sorted.
template <typename T>
struct TopOfRow {
  int k;
  T* values;
  int32_t* ids;

  T min() const { return values[k - 1]; }

  /// Inserts into `count` elements, after equal ones.
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
    if (Before(value, min())) Insert(value, id, k - 1);
  }
};

/// Maximum of `lowest` and of the n elements, ignoring NaN.
template <typename T>
HWY_INLINE T MaxOfNumbers(int64_t n, const T* x) {
  const auto self = [](auto, auto v) HEED_LANES { return v; };
  const auto max = [](auto a, auto b) HEED_LANES {
    return hn::IfThenElse(hn::Gt(b, a), b, a);
  };
  return ReduceSpan<T>(n, std::numeric_limits<T>::lowest(), self, max, x)
      .Fold(max);
}

/// Inserts x[begin, end), columns from `first` on. Vectors without an element
/// above the current minimum cost one comparison. "Not <=" also catches NaN.
template <typename T>
void OfferAll(int64_t first, int64_t begin, int64_t end, const T* x,
              TopOfRow<T>& largest) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    const auto min = hn::Set(d, largest.min());
    if (HWY_LIKELY(hn::AllTrue(d, hn::Le(hn::LoadU(d, x + i), min)))) {
      continue;
    }
    for (int64_t j = i; j < i + lanes; ++j) largest.Offer(x[j], first + j);
  }
  for (; i < end; ++i) largest.Offer(x[i], first + i);
}

/// sum exp(x[i] - shift).
template <typename T>
HWY_INLINE T SumExpOf(int64_t n, const T* x, T shift) {
  const auto map = [&](auto d, auto v) HEED_LANES {
    return Exp(d, hn::Sub(v, hn::Set(d, shift)));
  };
  return SumSpan<T>(n, map, x);
}

/// Adds x, columns from `first` on. `sum`, the sum of exp(x - max), may be
/// null.
template <typename T>
void AddToRow(int64_t first, int64_t n, const T* x, TopOfRow<T> largest, T* max,
              double* sum) {
  const auto known = static_cast<int>(std::min<int64_t>(largest.k, first));
  const auto filled = static_cast<int>(std::min<int64_t>(largest.k, first + n));
  for (int i = known; i < filled; ++i) {
    largest.Insert(x[i - known], first + i - known, i);
  }
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(n, begin + kBlock);
    const T block_max = MaxOfNumbers(end - begin, x + begin);
    if (filled == largest.k && !(block_max <= largest.min())) {
      OfferAll(first, std::max<int64_t>(begin, filled - known), end, x,
               largest);
    }
    if (sum == nullptr) continue;
    if (block_max > *max) {
      *sum *=
          std::exp(static_cast<double>(*max) - static_cast<double>(block_max));
      *max = block_max;
    }
    *sum += static_cast<double>(SumExpOf(end - begin, x + begin, *max));
  }
}

void AddToRows(const Tensor& x, int64_t first, Tensor& values, Tensor& ids,
               Tensor& max, Tensor& sums) {
  const int64_t n = x.cols();
  const auto k = static_cast<int>(values.cols());
  ForEachRow(x, x.rows(), n, [&]<typename T>(T, int64_t r) HEED_LANES {
    AddToRow<T>(first, n, x.row<T>(r),
                {k, values.row<T>(r), ids.row<int32_t>(r)}, max.data<T>() + r,
                sums.defined() ? sums.data<double>() + r : nullptr);
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
HWY_EXPORT(AddToRows);

RunningTopK::RunningTopK(int64_t rows, int k, DType dtype, bool with_sums)
    : values_({rows, k}, dtype), ids_({rows, k}, DType::kI32) {
  assert(k >= 1);
  const double lowest = dtype == DType::kF32
                            ? double{std::numeric_limits<float>::lowest()}
                            : std::numeric_limits<double>::lowest();
  max_ = Tensor::Full({rows}, lowest, dtype);
  if (with_sums) sums_ = Tensor::Zeros({rows}, DType::kF64);
}

void RunningTopK::Add(const Tensor& x) {
  assert(x.rows() == values_.rows() && x.dtype() == values_.dtype());
  HWY_DYNAMIC_DISPATCH(AddToRows)(x, columns_, values_, ids_, max_, sums_);
  columns_ += x.cols();
}

Tensor RunningTopK::LogSums() const {
  if (!sums_.defined()) return {};
  Tensor sums(sums_.shape(), DType::kF64);
  const Tensor max = max_.To(DType::kF64);
  for (int64_t r = 0; r < sums.numel(); ++r) {
    sums.data<double>()[r] =
        max.data<double>()[r] + std::log(sums_.data<double>()[r]);
  }
  return sums;
}

void TopK(const Tensor& x, int k, Tensor& values, Tensor& ids,
          Tensor* log_sum) {
  assert(k >= 1 && k <= x.cols());
  RunningTopK top(x.rows(), k, x.dtype(), log_sum != nullptr);
  top.Add(x);
  values = top.values();
  ids = top.ids();
  if (log_sum != nullptr) *log_sum = top.LogSums();
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
