// e = wᵀ tanh(W q + U k), also called concat or MLP.
// Paper: Bahdanau et al. 2014, arXiv:1409.0473, appendix A.1.2.
#include "heed/attention/scores/scores.h"
#include "heed/ops/attention.h"
#include "heed/ops/matmul.h"

namespace heed {
namespace {

class AdditiveScore : public Score {
 public:
  AdditiveScore(const Scope& scope, const ScoreOptions& o)
      : query_(scope.Add("query.weight", {o.query, o.units}, o.init)),
        key_(scope.Add("key.weight", {o.key, o.units}, o.init)),
        key_bias_(scope.Add("key.bias", {o.units}, {Init::Kind::kConstant, 0})),
        w_(scope.Add("score.weight", {o.units}, {Init::Kind::kUniform, 0.1})) {}

  /// U k does not depend on the query: once per source.
  PreparedKeys Prepare(const Context& ctx, const Var& keys,
                       const Tensor& lengths) const override {
    return {Affine(keys, ctx.Use(key_), ctx.Use(key_bias_)), lengths};
  }

  Var operator()(const Context& ctx, const Var& query,
                 const PreparedKeys& keys) const override {
    return AdditiveScores(MatMul(query, ctx.Use(query_)), keys.keys,
                          ctx.Use(w_), keys.lengths);
  }

 private:
  Parameter& query_;
  Parameter& key_;
  Parameter& key_bias_;
  Parameter& w_;
};

}  // namespace

std::unique_ptr<Score> MakeAdditiveScore(const Scope& scope,
                                         const ScoreOptions& options) {
  return std::make_unique<AdditiveScore>(scope, options);
}

}  // namespace heed
