// e_ij = LeakyReLU(aᵀ q_i + cᵀ k_j): the score of graph attention, where each
// node looks at its neighbours (use it with the mask Adjacency). Because the
// LeakyReLU stands outside of the sum of two numbers, all nodes rank their
// neighbours alike (Brody et al. 2021, arXiv:2105.14491, call that static).
// Paper: Veličković et al. 2018, arXiv:1710.10903, eq. 3.
#include "heed/attention/scores/scores.h"
#include "heed/ops/attention.h"
#include "heed/ops/heads.h"

namespace heed {
namespace {

constexpr auto kLeaky = kernels::AttentionArgs::Score::kLeaky;

class GraphScore : public Score {
 public:
  GraphScore(const Scope& scope, const AttentionSizes& n,
             std::span<const double> arguments)
      : heads_(n.heads),
        key_heads_(n.key_heads),
        slope_(arguments[0]),
        query_(scope.Add("query.weight", {n.heads * n.query}, n.init)),
        key_(scope.Add("key.weight", {n.key_heads * n.key}, n.init)) {}

  Var PrepareKeys(const Context& ctx, const Var& keys) const override {
    return PerHead(keys, ctx.Use(key_), key_heads_);
  }
  Var PrepareQuery(const Context& ctx, const Var& query,
                   int64_t /*batch*/) const override {
    return PerHead(query, ctx.Use(query_), heads_);
  }
  Var Scores(const Context& /*ctx*/, const Var& query,
             const Var& keys) const override {
    return PairScores(kLeaky, slope_, query, keys, One(query.value().dtype()));
  }
  std::optional<FusedScore> Fused(const Context& /*ctx*/,
                                  DType dtype) const override {
    return FusedScore{kLeaky, slope_, One(dtype)};
  }
  bool fused() const override { return true; }

 private:
  Tensor One(DType dtype) const { return Tensor::Full({heads_, 1}, 1, dtype); }

  /// weightᵀ x for each head: [B, T, H*D] to [B, T, H].
  static Var PerHead(const Var& x, const Var& weight, int64_t heads) {
    const Var row = BroadcastRow(weight, x.dim(0));
    return MergeHeads(
        DotScores(SplitHeads(x, heads), SplitHeads(row, heads), 1), heads);
  }

  int64_t heads_;
  int64_t key_heads_;
  double slope_;
  Parameter& query_;
  Parameter& key_;
};

}  // namespace

ScoreInfo GraphInfo() {
  return {.name = "graph",
          .formula = "LeakyReLU(aᵀ q + cᵀ k)",
          .source = "Veličković et al. 2018, arXiv:1710.10903",
          .arguments = {{"slope", 0.2, 0, 1}},
          .make = MakeScore<GraphScore>};
}

}  // namespace heed
