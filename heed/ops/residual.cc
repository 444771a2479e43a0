#include "heed/ops/residual.h"

#include <algorithm>
#include <utility>

#include "heed/kernels/gather.h"
#include "heed/kernels/residual.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/product.h"
#include "heed/ops/sinks.h"

namespace heed {
namespace {

using kernels::DropoutKey;

Tensor Dropped(const Tensor& x, const DropoutKey& dropout) {
  if (dropout.rate == 0) return x;
  return kernels::Dropout(x, dropout.rate, dropout.key);
}

/// Records the operation `sum` = x + Dropout(y).
Var RecordSum(Tensor sum, const Var& x, const Var& y,
              const DropoutKey& dropout) {
  return Record("add dropped", std::move(sum), {x, y},
                [dropout](const Tensor& dsum, Grads& g) {
                  if (g.Needs(1)) g.Add(1, Dropped(dsum, dropout));
                  g.Add(0, dsum);
                });
}

void CheckEmbedding(const Var& table, const Tensor& ids,
                    const Tensor& positions, int64_t offset) {
  CheckShapes(table.shape().rank() == 2 && ids.rank() == 2, "embedding",
              "a table and ids that are not matrices",
              {table.shape(), ids.shape()});
  for (int64_t i = 0; i < ids.numel(); ++i) {
    const int32_t id = ids.data<int32_t>()[i];
    if (id < -1 || id >= table.dim(0)) {
      throw ShapeError("embedding: id {} in a table of {} rows", id,
                       table.dim(0));
    }
  }
  if (!positions.defined()) return;
  CheckShapes(positions.rank() == 2 && positions.dim(1) == table.dim(1) &&
                  positions.dtype() == FactorDType(table),
              "embedding", "positions that do not fit",
              {table.shape(), positions.shape()});
  if (offset < 0 || offset + ids.dim(1) > positions.dim(0)) {
    throw ShapeError("embedding: position {} in a table of {} positions",
                     offset < 0 ? offset : offset + ids.dim(1) - 1,
                     positions.dim(0));
  }
}

/// Row indices after a look-up of `ids`: 0, 1, 2.., or -1 for id -1, which the
/// look-up replaces by 0.
Tensor TakePlaces(Tensor& ids) {
  ids = ids.Clone();
  Tensor places(ids.shape(), DType::kI32);
  for (int64_t i = 0; i < ids.numel(); ++i) {
    int32_t& id = ids.data<int32_t>()[i];
    places.data<int32_t>()[i] = id < 0 ? -1 : static_cast<int32_t>(i);
    id = std::max(id, 0);
  }
  return places;
}

}  // namespace

Var AddDropped(const Context& ctx, const Var& x, const Var& y, double dropout) {
  CheckSame("add dropped", x, y);
  const DropoutKey key = NextDropout(ctx, dropout);
  return RecordSum(
      kernels::AddDropped(x.value().Contiguous(), y.value().Contiguous(), key),
      x, y, key);
}

AddNormResult AddNorm(const Context& ctx, const Var& x, const Var& y,
                      double dropout, const Var& gain, const Var& bias,
                      double epsilon) {
  CheckSame("add norm", x, y);
  CheckColumns("add norm", x, gain);
  CheckColumns("add norm", x, bias);
  const DropoutKey key = NextDropout(ctx, dropout);
  const kernels::AddNormResult result =
      kernels::AddNorm(x.value().Contiguous(), y.value().Contiguous(), key,
                       {gain.value(), bias.value(), epsilon});
  const Var sum = RecordSum(result.sum, x, y, key);
  // All users of the sum follow both operations on the tape. The gradient of
  // the sum is therefore complete here and passes on with that of `normed`.
  const Var normed = Record(
      "add norm", result.normed, {sum, x, y, gain, bias},
      [result, key, gain = gain.value()](const Tensor& dnormed, Grads& g) {
        Sinks sinks(g);
        Tensor dgain = sinks.OrScratch(3, gain);
        Tensor dbias = sinks.OrScratch(4, gain);
        kernels::AddNormGrads grads = kernels::AddNormGrad(
            dnormed, g.Take(0), result, gain, key, dgain, dbias);
        g.Add(1, std::move(grads.dx));
        g.Add(2, std::move(grads.dy));
        sinks.Finish();
      });
  return {sum, normed};
}

Var EmbedScaled(const Context& ctx, const Var& table, const Tensor& ids,
                double scale, const Tensor& positions, int64_t offset,
                double dropout) {
  CheckEmbedding(table, ids, positions, offset);
  const DropoutKey key = NextDropout(ctx, dropout);
  const Parameter* parameter = table.parameter();
  if (parameter != nullptr && parameter->compact()) {
    Tensor known = ids;
    const Tensor places = TakePlaces(known);
    const Tensor rows = parameter->Rows(known);
    return kernels::EmbedScaled(rows.Reshape({ids.numel(), rows.cols()}),
                                places, scale, positions, offset, key);
  }
  return Record(
      "embedding",
      kernels::EmbedScaled(table.value(), ids, scale, positions, offset, key),
      {table}, [ids, scale, key](const Tensor& dy, Grads& g) {
        if (g.Needs(0)) g.AddRows(0, ids, Dropped(dy, key), scale);
      });
}

}  // namespace heed
