// e = wᵀ tanh(W_L … tanh(W q + U k)): the additive score with more layers.
// Heads share all layers except W and U. Paper: Xu et al. 2015,
// arXiv:1502.03044, whose code has this option.
#include <vector>

#include "heed/attention/scores/additive.h"
#include "heed/attention/scores/scores.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

class MlpScore : public AffineScore {
 public:
  MlpScore(const Scope& scope, const AttentionSizes& n,
           std::span<const double> /*arguments*/)
      : AffineScore(scope, n),
        w_(scope.Add("score.weight", {n.units, 1}, n.init)) {
    for (int64_t i = 1; i < n.layers; ++i) {
      const Scope layer = scope / ("layers." + std::to_string(i));
      hidden_.push_back({&layer.Add("weight", {n.units, n.units}, n.init),
                         &layer.Add("bias", {n.units}, kZeroInit)});
    }
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

 private:
  struct Hidden {
    Parameter* weight;
    Parameter* bias;
  };
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
