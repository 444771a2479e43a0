#include "heed/attention/attention.h"

#include <fmt/format.h>

#include "heed/base/errors.h"
#include "heed/kernels/gather.h"
#include "heed/ops/attention.h"

namespace heed {

Memory Memory::Select(const Tensor& rows) const {
  Memory selected;
  selected.prepared.keys = kernels::Gather(prepared.keys.value(), rows);
  selected.values = values.value().Aliases(prepared.keys.value())
                        ? selected.prepared.keys
                        : Var(kernels::Gather(values.value(), rows));
  if (prepared.lengths.defined()) {
    selected.prepared.lengths = Tensor(rows.shape(), DType::kI32);
    for (int64_t i = 0; i < rows.numel(); ++i) {
      selected.prepared.lengths.data<int32_t>()[i] =
          prepared.lengths.data<int32_t>()[rows.data<int32_t>()[i]];
    }
  }
  return selected;
}

Attention::Attention(const Scope& scope, const std::string& score,
                     const ScoreOptions& options)
    : path_(scope.path()) {
  const ScoreInfo& info = FindScore(score);
  if (info.equal_sizes && options.query != options.key) {
    throw ConfigError(
        fmt::format("{}: the score '{}' needs queries and keys of one size, "
                    "but they have {} "
                    "and {} features; choose 'general' or other units",
                    path_, score, options.query, options.key));
  }
  score_ = info.make(scope, options);
}

Memory Attention::Prepare(const Context& ctx, const Var& keys,
                          const Tensor& lengths) const {
  return {score_->Prepare(ctx, keys, lengths), keys};
}

Attended Attention::Attend(const Context& ctx, const Var& query,
                           const Memory& memory) const {
  const Tensor& lengths = memory.prepared.lengths;
  const Var scores = (*score_)(ctx, query, memory.prepared);
  const Var weights = MaskedSoftmax(scores, lengths);
  if (ctx.recorder != nullptr) {
    ctx.recorder->OnAttention(path_, 0, weights.value());
  }
  return {WeightedSum(weights, memory.values, lengths), weights};
}

}  // namespace heed
