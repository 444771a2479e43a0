#include "heed/ops/ssru.h"

#include <utility>

#include "heed/kernels/reduce.h"
#include "heed/kernels/ssru.h"
#include "heed/ops/check.h"

namespace heed {

Var SsruCells(const Var& x, const Var& bias, const Var& first) {
  const bool fits = x.shape().rank() == 3 && bias.shape().rank() == 1 &&
                    x.dim(2) == 2 * bias.dim(0);
  CheckShapes(fits, "ssru", "input and bias that do not fit",
              {x.shape(), bias.shape()});
  const int64_t units = bias.dim(0);
  const Shape state = {x.dim(0), units};
  CheckShapes(!first.defined() || first.shape() == state, "ssru",
              "a first state that does not fit", {first.shape(), state});
  CheckDTypes("ssru", x, bias);
  if (first.defined()) CheckDTypes("ssru", x, first);
  Tensor cells({x.dim(0), x.dim(1), units}, x.value().dtype());
  kernels::SsruScan({x.value(), bias.value(), first.value()}, cells);
  return Record(
      "ssru", cells, {x, bias, first},
      [x = x.value(), bias = bias.value(), first = first.value(), cells, state](
          const Tensor& dy, Grads& g) {
        Tensor dx(x.shape(), dy.dtype());
        Tensor dfirst = g.Needs(2) ? Tensor(state, dy.dtype()) : Tensor();
        kernels::SsruScanGrad(dy, {x, bias, first}, cells, dx,
                              g.Needs(2) ? &dfirst : nullptr);
        if (g.Needs(1)) {
          kernels::ColumnSumTo(g.Accumulate(1),
                               dx.Columns(bias.numel(), 2 * bias.numel()));
        }
        if (g.Needs(2)) g.Add(2, std::move(dfirst));
        g.Add(0, std::move(dx));
      });
}

}  // namespace heed
