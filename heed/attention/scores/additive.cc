// e = wᵀ tanh(W q + U k), also called concat or MLP.
// Paper: Bahdanau et al. 2014, arXiv:1409.0473, appendix A.1.2.
#include "heed/attention/scores/additive.h"

#include "heed/attention/scores/scores.h"
#include "heed/ops/attention.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {

AffineScore::AffineScore(const Scope& scope, const AttentionSizes& n)
    : query_(scope.Add("query.weight", {n.heads * n.query, n.heads * n.units},
                       n.init, ParameterUse::kMatrix)),
      key_(scope.Add("key.weight", {n.key_heads * n.key, n.heads * n.units},
                     n.init, ParameterUse::kMatrix)),
      key_bias_(scope.Add("key.bias", {n.heads * n.units}, kZeroInit)) {}

AdditiveScore::AdditiveScore(const Scope& scope, const AttentionSizes& n,
                             std::span<const double> /*arguments*/)
    : AffineScore(scope, n),
      heads_(n.heads),
      w_(scope.Add("score.weight", {n.heads * n.units},
                   {Init::Kind::kUniform, 0.1})) {}

Var AffineScore::PrepareKeys(const Context& ctx, const Var& keys) const {
  return Affine(keys, ctx.Use(key_), ctx.Use(key_bias_));
}

Var AffineScore::PrepareQuery(const Context& ctx, const Var& query,
                              int64_t /*batch*/) const {
  return MatMul(query, ctx.Use(query_));
}

Var AdditiveScore::Weight(const Context& ctx) const {
  return Reshape(ctx.Use(w_), {heads_, w_.value().numel() / heads_});
}

Var AdditiveScore::Scores(const Context& ctx, const Var& query,
                          const Var& keys) const {
  return PairScores(kernels::AttentionArgs::Score::kTanh, 0, query, keys,
                    Weight(ctx));
}

std::optional<FusedScore> AdditiveScore::Fused(const Context& ctx,
                                               DType /*dtype*/) const {
  return FusedScore{kernels::AttentionArgs::Score::kTanh, 0, Weight(ctx)};
}

ScoreInfo AdditiveInfo() {
  return {.name = "additive",
          .formula = "wᵀ tanh(W q + U k)",
          .source = "Bahdanau et al. 2014, arXiv:1409.0473",
          .arguments = {},
          .make = MakeScore<AdditiveScore>};
}

}  // namespace heed
