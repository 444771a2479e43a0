#include "heed/ops/heads.h"

#include <fmt/format.h>

#include "heed/kernels/heads.h"
#include "heed/kernels/reduce.h"
#include "heed/ops/check.h"

namespace heed {
namespace {

void CheckHeads(bool holds, std::string_view op, const Var& x, int64_t heads) {
  if (holds) return;
  CheckShapes(false, op, fmt::format("not a whole number of {} heads", heads),
              {x.shape()});
}

}  // namespace

Var SplitHeads(const Var& x, int64_t heads, int64_t repeat) {
  CheckHeads(heads >= 1 && x.shape().rank() == 3 && x.dim(2) % heads == 0,
             "split heads", x, heads);
  CheckShapes(repeat >= 1, "split heads", "heads repeated less than once",
              {x.shape()});
  return Record("split heads", kernels::SplitHeads(x.value(), heads, repeat),
                {x}, [heads, repeat](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::MergeHeads(dy, heads, repeat));
                });
}

Var MergeHeads(const Var& x, int64_t heads) {
  CheckHeads(heads >= 1 && x.shape().rank() == 3 && x.dim(0) % heads == 0,
             "merge heads", x, heads);
  return Record("merge heads", kernels::MergeHeads(x.value(), heads, 1), {x},
                [heads](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::SplitHeads(dy, heads, 1));
                });
}

Var BroadcastRow(const Var& row, int64_t batch) {
  CheckShapes(row.shape().rank() == 1, "broadcast row", "not a row",
              {row.shape()});
  Tensor y({batch, 1, row.dim(0)}, row.value().dtype());
  for (int64_t b = 0; b < batch; ++b) y[b][0].CopyFrom(row.value());
  return Record("broadcast row", std::move(y), {row},
                [](const Tensor& dy, Grads& g) {
                  kernels::ColumnSumTo(g.Accumulate(0), dy);
                });
}

Var HeadDots(const Var& x, const Var& weight, int64_t heads) {
  CheckHeads(heads >= 1 && x.value().cols() % heads == 0, "head dots", x,
             heads);
  CheckColumns("head dots", x, weight);
  const Tensor w = weight.value().Contiguous();
  return Record("head dots", kernels::HeadDots(x.value(), w, heads),
                {x, weight}, [x = x.value(), w](const Tensor& dy, Grads& g) {
                  Tensor dx;
                  if (g.Needs(0)) dx = Tensor(x.shape(), x.dtype());
                  kernels::HeadDotsGrad(
                      x, w, dy, g.Needs(0) ? &dx : nullptr,
                      g.Needs(1) ? &g.Accumulate(1) : nullptr);
                  if (g.Needs(0)) g.Add(0, std::move(dx));
                });
}

}  // namespace heed
