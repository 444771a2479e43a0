#include "heed/nn/copy_output.h"

#include <algorithm>

#include "heed/base/errors.h"
#include "heed/ops/copy_scores.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

/// Column of the maximum of a row.
int64_t LargestColumn(const Tensor& x, int64_t r) {
  const auto largest = [&](auto* row) {
    return std::max_element(row, row + x.cols()) - row;
  };
  return x.dtype() == DType::kF64 ? largest(x.row<double>(r))
                                  : largest(x.row<float>(r));
}

}  // namespace

Var CopyOutput::Join(const Var& h, const Var& gate, const Var& weights,
                     const Tensor& ids) {
  return ConcatColumns({h, gate, weights, Var(ids.To(h.value().dtype()))});
}

Var CopyOutput::Gate(const Var& x) const {
  return Columns(x, features(), features() + 1);
}

Var CopyOutput::Scores(const Context& ctx, const Var& x) const {
  const int64_t first = features() + 1;
  const int64_t end = x.dim(-1);
  const int64_t middle = first + (end - first) / 2;
  return CopyScores(generated_.Scores(ctx, Columns(x, 0, first - 1)), Gate(x),
                    Columns(x, first, middle),
                    Columns(x, middle, end).value().To(DType::kI32));
}

CrossEntropyLoss CopyOutput::Loss(const Context& ctx, const Var& x,
                                  const Tensor& targets,
                                  const CrossEntropyOptions& options) const {
  const Var scores = Scores(ctx, x);
  const DType dtype = scores.value().dtype();
  Tensor columns = targets.Clone();
  Tensor counted({targets.numel()}, DType::kF64);
  CrossEntropyLoss loss;
  for (int64_t r = 0; r < targets.numel(); ++r) {
    int32_t& column = columns.data<int32_t>()[r];
    const bool ignored = column == options.ignore_id;
    counted.data<double>()[r] = ignored ? 0 : 1;
    if (ignored) column = -1;
    loss.tokens += ignored ? 0 : 1;
    loss.correct += LargestColumn(scores.value(), r) == column ? 1 : 0;
  }
  const Var picked = Pick(scores, columns);
  for (const double log_p : picked.value().ToVector<double>()) {
    loss.nll -= log_p;
  }
  loss.loss = Scale(Sum(picked), -options.scale * (1 - options.smoothing));
  if (options.smoothing == 0) return loss;
  const int64_t S = (x.dim(-1) - features() - 1) / 2;
  const int64_t V = scores.dim(-1) - S;
  const Var means =
      MatMul(Reshape(Columns(scores, 0, V), {targets.numel(), V}),
             Var(Tensor::Full({V, 1}, 1 / static_cast<double>(V), dtype)));
  loss.loss = Add(
      loss.loss,
      Scale(Sum(Mul(Reshape(means, {targets.numel()}), Var(counted.To(dtype)))),
            -options.scale * options.smoothing));
  return loss;
}

std::unique_ptr<OutputLayer> CopyOutput::Restricted(
    const Tensor& /*ids*/) const {
  throw ConfigError(
      "a model that copies scores all tokens and those of its source; leave "
      "the shortlist out");
}

}  // namespace heed
