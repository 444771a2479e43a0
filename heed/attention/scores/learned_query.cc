// e_s = uᵀ tanh(W k_s + b): a learned query u replaces queries. Pools a
// sequence into one vector for each head. Paper: Yang et al. 2016, Hierarchical
// Attention Networks, eq. 5 and 6.
#include "heed/attention/scores/scores.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/heads.h"
#include "heed/ops/matmul.h"

namespace heed {
namespace {

class LearnedQueryScore : public ProductScore {
 public:
  LearnedQueryScore(const Scope& scope, const AttentionSizes& n,
                    std::span<const double> /*arguments*/)
      : query_(scope.Add("query", {n.heads * n.units},
                         {Init::Kind::kUniform, 0.1})),
        key_(scope.Add("key.weight", {n.key_heads * n.key, n.heads * n.units},
                       n.init, ParameterUse::kMatrix)),
        key_bias_(scope.Add("key.bias", {n.heads * n.units}, kZeroInit)) {}

  Var PrepareKeys(const Context& ctx, const Var& keys) const override {
    return Tanh(Affine(keys, ctx.Use(key_), ctx.Use(key_bias_)));
  }
  Var PrepareQuery(const Context& ctx, const Var& /*query*/,
                   int64_t batch) const override {
    return BroadcastRow(ctx.Use(query_), batch);
  }
  int64_t PreparedHeads(const AttentionSizes& sizes) const override {
    return sizes.heads;
  }
  bool takes_query() const override { return false; }

 private:
  Parameter& query_;
  Parameter& key_;
  Parameter& key_bias_;
};

}  // namespace

ScoreInfo LearnedQueryInfo() {
  return {.name = "learned_query",
          .formula = "uᵀ tanh(W k + b)",
          .source = "Yang et al. 2016, Hierarchical Attention Networks",
          .arguments = {},
          .make = MakeScore<LearnedQueryScore>};
}

}  // namespace heed
