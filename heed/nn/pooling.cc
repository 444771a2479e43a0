#include "heed/nn/pooling.h"

#include "heed/ops/attention.h"
#include "heed/ops/check.h"
#include "heed/ops/shape.h"
#include "heed/ops/steps.h"

namespace heed {
namespace {

/// Weights of the vectors: f(s, n) for s < n in a sequence of n.
template <typename F>
Tensor Weights(const Var& x, const Tensor& lengths, F&& f) {
  Tensor weights = Tensor::Zeros({x.dim(0), 1, x.dim(1)}, DType::kF64);
  for (int64_t b = 0; b < x.dim(0); ++b) {
    const int32_t n = lengths.data<int32_t>()[b];
    for (int64_t s = 0; s < n; ++s) weights.row<double>(b)[s] = f(s, n);
  }
  return weights.To(x.value().dtype());
}

}  // namespace

Pooling::Pooling(const Scope& scope, const PoolingOptions& o) : options_(o) {
  if (options_.kind != PoolingKind::kAttention) return;
  AttentionSpec spec;
  spec.score = ChooseScore("learned_query");
  spec.heads = o.heads;
  spec.query = spec.key = o.features;
  spec.units = ((o.units > 0 ? o.units : o.features) + o.heads - 1) / o.heads;
  spec.init = o.init;
  spec.query_axis = o.query_axis;
  spec.key_axis = o.key_axis;
  attention_ = std::make_unique<Attention>(scope, spec);
}

Var Pooling::operator()(const Context& ctx, const Var& x,
                        const Tensor& lengths) const {
  CheckShapes(x.shape().rank() == 3 && lengths.defined(), "pooling",
              "not [B, S, M] with lengths", {x.shape()});
  CheckLengths("pooling", lengths, x.dim(0), x.dim(1));
  if (options_.kind == PoolingKind::kMax) return MaxOverSteps(x, lengths);
  Var pooled;  // [B, 1, M]
  if (attention_ != nullptr) {
    const Memory memory = attention_->Prepare(ctx, x, x, Padding(lengths));
    pooled = attention_->Attend(ctx, {}, memory).context;
  } else {
    pooled = WeightedSum(
        Weights(x, lengths,
                [this](int64_t s, int32_t n) {
                  if (options_.kind == PoolingKind::kMean) return 1.0 / n;
                  return s == (options_.kind == PoolingKind::kLast ? n - 1 : 0)
                             ? 1.0
                             : 0.0;
                }),
        x);
  }
  return Reshape(pooled, {x.dim(0), x.dim(2)});
}

}  // namespace heed
