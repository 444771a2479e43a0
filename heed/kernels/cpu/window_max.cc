#include "heed/kernels/window_max.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/window_max.cc"
#include <hwy/foreach_target.h>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

template <typename T>
void WindowMaxRow(const Tensor& table, const int32_t* ids, int64_t length,
                  int64_t width, T* values, T* starts) {
  const int64_t filters = table.dim(1) / width;
  const int64_t n = std::find(ids, ids + length, 0) - ids;
  ForLanes<T>(filters, [&](auto lanes, int64_t f) HEED_LANES {
    const auto window = [&](int64_t p) HEED_LANES {
      auto sum = hn::Zero(lanes.d);
      for (int64_t j = 0; j < width; ++j) {
        const int64_t at = p + j;
        const int64_t id = at >= 0 && at < n ? ids[at] : 0;
        sum = hn::Add(sum, lanes.Load(table.row<T>(id) + j * filters + f));
      }
      return sum;
    };
    auto max = window(1 - width);
    auto start = hn::Set(lanes.d, static_cast<T>(1 - width));
    for (int64_t p = 2 - width; p < n; ++p) {
      const auto sum = window(p);
      const auto greater = hn::Gt(sum, max);
      max = hn::IfThenElse(greater, sum, max);
      start =
          hn::IfThenElse(greater, hn::Set(lanes.d, static_cast<T>(p)), start);
    }
    lanes.Store(max, values + f);
    lanes.Store(start, starts + f);
  });
}

void WindowMaxRows(const Tensor& table, const Tensor& ids, int64_t width,
                   WindowMaxResult& result) {
  const int64_t length = ids.dim(1);
  ForEachRow(table, ids.dim(0), length * table.dim(1),
             [&]<typename T>(T, int64_t u) HEED_LANES {
               WindowMaxRow<T>(table, ids.row<int32_t>(u), length, width,
                               result.values.row<T>(u),
                               result.starts.row<T>(u));
             });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
HWY_EXPORT(WindowMaxRows);

WindowMaxResult WindowMax(const Tensor& table, const Tensor& ids,
                          int64_t width) {
  assert(table.contiguous() && table.dim(1) % width == 0);
  const Shape shape = {ids.dim(0), table.dim(1) / width};
  WindowMaxResult result{Tensor(shape, table.dtype()),
                         Tensor(shape, table.dtype())};
  HWY_DYNAMIC_DISPATCH(WindowMaxRows)(table, ids, width, result);
  return result;
}

namespace {

/// Gradient for filters [begin, end).
template <typename T>
void AddFilters(Tensor& dtable, const Tensor& dy, const Tensor& starts,
                const Tensor& ids, int64_t begin, int64_t end) {
  const int64_t filters = dy.dim(1);
  const int64_t width = dtable.dim(1) / filters;
  for (int64_t u = 0; u < ids.dim(0); ++u) {
    const int32_t* row = ids.row<int32_t>(u);
    const int64_t n = std::find(row, row + ids.dim(1), 0) - row;
    for (int64_t f = begin; f < end; ++f) {
      const auto p = static_cast<int64_t>(starts.row<T>(u)[f]);
      for (int64_t j = 0; j < width; ++j) {
        const int64_t at = p + j;
        const int64_t id = at >= 0 && at < n ? row[at] : 0;
        dtable.row<T>(id)[j * filters + f] += dy.row<T>(u)[f];
      }
    }
  }
}

}  // namespace

void WindowMaxGradTo(Tensor& dtable, const Tensor& dy, const Tensor& starts,
                     const Tensor& ids) {
  constexpr int64_t kFilters = 16;
  const auto run = [&](auto zero) {
    using T = decltype(zero);
    ParallelFor(dy.dim(1), kFilters, [&](int64_t begin, int64_t end) {
      AddFilters<T>(dtable, dy, starts, ids, begin, end);
    });
  };
  dy.dtype() == DType::kF64 ? run(double{}) : run(float{});
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
