// e = wᵀ tanh(W_L … tanh(W q + U k)): the additive score with more layers.
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
  MlpScore(const Scope& scope, const ScoreOptions& o)
      : query_(scope.Add("query.weight", {o.query, o.units}, o.init)),
        key_(scope.Add("key.weight", {o.key, o.units}, o.init)),
        key_bias_(scope.Add("key.bias", {o.units}, {Init::Kind::kConstant, 0})),
        w_(scope.Add("score.weight", {o.units, 1}, o.init)) {
    for (int64_t i = 1; i < o.layers; ++i) {
      const Scope layer = scope / ("layers." + std::to_string(i));
      hidden_.push_back(
          {&layer.Add("weight", {o.units, o.units}, o.init),
           &layer.Add("bias", {o.units}, {Init::Kind::kConstant, 0})});
    }
  }

  PreparedKeys Prepare(const Context& ctx, const Var& keys,
                       const Tensor& lengths) const override {
    return {Affine(keys, ctx.Use(key_), ctx.Use(key_bias_)), lengths};
  }

  Var operator()(const Context& ctx, const Var& query,
                 const PreparedKeys& keys) const override {
    Var h = Tanh(AddPairs(MatMul(query, ctx.Use(query_)), keys.keys));
    for (const Hidden& layer : hidden_) {
      h = Tanh(Affine(h, ctx.Use(*layer.weight), ctx.Use(*layer.bias)));
    }
    return Reshape(MatMul(h, ctx.Use(w_)),
                   {query.dim(0), query.dim(1), keys.keys.dim(1)});
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

std::unique_ptr<Score> MakeMlpScore(const Scope& scope,
                                    const ScoreOptions& options) {
  return std::make_unique<MlpScore>(scope, options);
}

}  // namespace heed
