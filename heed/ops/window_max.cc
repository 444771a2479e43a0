#include "heed/ops/window_max.h"

#include <fmt/format.h>

#include "heed/kernels/window_max.h"
#include "heed/ops/check.h"

namespace heed {

Var WindowMax(const Var& table, const Tensor& ids, int64_t width) {
  CheckShapes(
      width >= 1 && table.shape().rank() == 2 && ids.rank() == 2 &&
          table.dim(1) % width == 0,
      "window max",
      fmt::format("a table and ids that do not fit windows of {}", width),
      {table.shape(), ids.shape()});
  for (int64_t i = 0; i < ids.numel(); ++i) {
    const int32_t id = ids.data<int32_t>()[i];
    if (id < 0 || id >= table.dim(0)) {
      throw ShapeError("window max: id {} in a table of {} rows", id,
                       table.dim(0));
    }
  }
  const kernels::WindowMaxResult result =
      kernels::WindowMax(table.value().Contiguous(), ids, width);
  return Record("window max", result.values, {table},
                [starts = result.starts, ids](const Tensor& dy, Grads& g) {
                  kernels::WindowMaxGradTo(g.Accumulate(0), dy, starts, ids);
                });
}

}  // namespace heed
