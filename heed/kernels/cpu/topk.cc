#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/topk.cc"
#include <hwy/foreach_target.h>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/loops-inl.h"
#include "heed/kernels/rowwise.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// a stands before b: it is greater, or b alone is NaN.
template <typename T>
HWY_INLINE bool Before(T a, T b) {
  return a > b || (b != b && a == a);
}

/// Inserts into `count` ordered elements, behind those that are equal.
template <typename T>
HWY_INLINE void Insert(T value, int32_t id, int count, T* values,
                       int32_t* ids) {
  int at = count;
  for (; at > 0 && Before(value, values[at - 1]); --at) {
    values[at] = values[at - 1];
    ids[at] = ids[at - 1];
  }
  values[at] = value;
  ids[at] = id;
}

template <typename T>
void TopKRow(int64_t n, const T* x, int k, T* values, int32_t* ids) {
  for (int i = 0; i < k; ++i) Insert(x[i], i, i, values, ids);
  const auto offer = [&](int64_t i) HWY_ATTR {
    if (Before(x[i], values[k - 1])) {
      Insert(x[i], static_cast<int32_t>(i), k - 1, values, ids);
    }
  };
  // Few elements pass the least of the k so far; vectors without one are left
  // behind at the cost of a comparison. "Not <=" also stops for a NaN.
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = k;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto least = hn::Set(d, values[k - 1]);
    const auto none = hn::And(hn::Le(hn::LoadU(d, x + i), least),
                              hn::Le(hn::LoadU(d, x + i + lanes), least));
    if (HWY_LIKELY(hn::AllTrue(d, none))) continue;
    for (int64_t j = i; j < i + 2 * lanes; ++j) offer(j);
  }
  for (; i < n; ++i) offer(i);
}

void TopKRows(const Tensor& x, int k, Tensor& values, Tensor& ids) {
  const int64_t n = x.cols();
  WithFloat(x, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(x.rows(), RowGrain(n),
                [&](int64_t begin, int64_t end) HWY_ATTR {
                  for (int64_t r = begin; r < end; ++r) {
                    TopKRow<T>(n, x.row<T>(r), k, values.row<T>(r),
                               ids.row<int32_t>(r));
                  }
                });
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
HWY_EXPORT(TopKRows);

void TopK(const Tensor& x, int k, Tensor& values, Tensor& ids) {
  assert(k >= 1 && k <= x.cols());
  values = Tensor({x.rows(), k}, x.dtype());
  ids = Tensor({x.rows(), k}, DType::kI32);
  HWY_DYNAMIC_DISPATCH(TopKRows)(x, k, values, ids);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
