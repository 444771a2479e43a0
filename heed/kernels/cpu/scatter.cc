#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/scatter.cc"
#include <hwy/foreach_target.h>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/loops-inl.h"
#include "heed/kernels/gather.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

void ScatterAddRows(Tensor& table, const Tensor& ids, const Tensor& dy,
                    double scale) {
  assert(table.contiguous() && ids.contiguous() && dy.contiguous());
  assert(dy.numel() == ids.numel() * table.cols());
  assert(dy.dtype() == table.dtype());
  // Each chunk owns a strip of columns, so rows are added in order without
  // locks.
  constexpr int64_t kStrip = 64;
  const int64_t grain = kStrip * RowGrain(kStrip * ids.numel());
  const int64_t cols = table.cols();
  const int32_t* id = ids.data<int32_t>();
  WithFloat(table, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    const auto add = [scale](auto d, auto u, auto v) HEED_LANES {
      return hn::MulAdd(v, hn::Set(d, static_cast<T>(scale)), u);
    };
    ParallelFor(cols, grain, [&](int64_t begin, int64_t end) HWY_ATTR {
      for (int64_t i = 0; i < ids.numel(); ++i) {
        assert(id[i] < table.dim(0));
        if (id[i] < 0) continue;
        T* to = table.data<T>() + id[i] * cols + begin;
        MapSpan<T>(end - begin, add, to, to, dy.data<T>() + i * cols + begin);
      }
    });
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
HWY_EXPORT(ScatterAddRows);

void ScatterAddTo(Tensor& table, const Tensor& ids, const Tensor& dy,
                  double scale) {
  HWY_DYNAMIC_DISPATCH(ScatterAddRows)(table, ids, dy, scale);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
