// e = wᵀ tanh(W_L … tanh(W q + U k)): the additive score with more layers,
// which heads share but for W and U.
// Paper: Xu et al. 2015, arXiv:1502.03044, whose code has this option.
#include <vector>

#include "heed/attention/scores/scores.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

class MlpScore : public Score {
 public:
  MlpScore(const Scope& scope, const AttentionSizes& n,
           std::span<const double> /*arguments*/)
      : query_(scope.Add("query.weight", {n.heads * n.query, n.heads * n.units},
                         n.init, ParameterUse::kMatrix)),
        key_(scope.Add("key.weight", {n.key_heads * n.key, n.heads * n.units},
                       n.init, ParameterUse::kMatrix)),
        key_bias_(scope.Add("key.bias", {n.heads * n.units}, kZeroInit)),
        w_(scope.Add("score.weight", {n.units, 1}, n.init)) {
    for (int64_t i = 1; i < n.layers; ++i) {
      const Scope layer = scope / ("layers." + std::to_string(i));
      hidden_.push_back({&layer.Add("weight", {n.units, n.units}, n.init),
                         &layer.Add("bias", {n.units}, kZeroInit)});
    }
  }

  Var PrepareKeys(const Context& ctx, const Var& keys) const override {
    return Affine(keys, ctx.Use(key_), ctx.Use(key_bias_));
  }
  Var PrepareQuery(const Context& ctx, const Var& query,
                   int64_t /*batch*/) const override {
    return MatMul(query, ctx.Use(query_));
  }
  Var Scores(const Context& ctx, const Var& query,
             const Var& keys) const override {
    Var h = Tanh(AddPairs(query, keys));
    for (const Hidden& layer : hidden_) {
      h = Tanh(Affine(h, ctx.Use(*layer.weight), ctx.Use(*layer.bias)));
    }
    return Reshape(MatMul(h, ctx.Use(w_)),
                   {query.dim(0), query.dim(1), keys.dim(1)});
  }
  int64_t PreparedHeads(const AttentionSizes& sizes) const override {
    return sizes.heads;
  }

 private:
  struct Hidden {
    Parameter* weight;
    Parameter* bias;
  };
  Parameter& query_;
  Parameter& key_;
  Parameter& key_bias_;
  Parameter& w_;
  std::vector<Hidden> hidden_;
};

}  // namespace

ScoreInfo MlpInfo() {
  return {.name = "mlp",
          .formula = "wᵀ tanh(… tanh(W q + U k))",
          .source = "Xu et al. 2015, arXiv:1502.03044",
          .arguments = {},
          .make = MakeScore<MlpScore>};
}

}  // namespace heed
