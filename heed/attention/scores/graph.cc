// e_ij = LeakyReLU(aᵀ q_i + cᵀ k_j): the score of graph attention, in which
// each node attends to its neighbours (use it with the mask Adjacency). With
// `bias` 1 both terms have a bias for each head, as in the authors' code but
// not in the paper. The LeakyReLU is applied to the sum of two numbers, so all
// nodes rank their neighbours in one order (static attention, Brody et al.
// 2021, arXiv:2105.14491). Paper: Veličković et al. 2018, arXiv:1710.10903, eq.
// 3.
#include "heed/attention/scores/scores.h"
#include "heed/ops/attention.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/heads.h"

namespace heed {
namespace {

constexpr auto kLeaky = kernels::AttentionArgs::Score::kLeaky;

class GraphScore : public Score {
 public:
  GraphScore(const Scope& scope, const AttentionSizes& n,
             std::span<const double> arguments)
      : heads_(n.heads),
        slope_(arguments[0]),
        query_(scope, "query", n.heads, n.query, n.init, arguments[1]),
        key_(scope, "key", n.key_heads, n.key, n.init, arguments[1]) {}

  Var PrepareKeys(const Context& ctx, const Var& keys) const override {
    return key_(ctx, keys);
  }
  Var PrepareQuery(const Context& ctx, const Var& query,
                   int64_t /*batch*/) const override {
    return query_(ctx, query);
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

  /// aᵀ x + b for each head: [B, T, H*D] to [B, T, H].
  class Term {
   public:
    Term(const Scope& scope, const std::string& name, int64_t heads,
         int64_t features, Init init, double bias)
        : heads_(heads),
          weight_(scope.Add(name + ".weight", {heads * features}, init)),
          bias_(bias == 0 ? nullptr
                          : &scope.Add(name + ".bias", {heads}, kZeroInit)) {}

    Var operator()(const Context& ctx, const Var& x) const {
      const Var y = HeadDots(x, ctx.Use(weight_), heads_);
      return bias_ == nullptr ? y : AddRow(y, ctx.Use(*bias_));
    }

   private:
    int64_t heads_;
    Parameter& weight_;
    Parameter* bias_;
  };

  int64_t heads_;
  double slope_;
  Term query_;
  Term key_;
};

}  // namespace

ScoreInfo GraphInfo() {
  return {.name = "graph",
          .formula = "LeakyReLU(aᵀ q + cᵀ k)",
          .source = "Veličković et al. 2018, arXiv:1710.10903",
          .arguments = {{"slope", 0.2, 0, 1}, {"bias", 0, 0, 1}},
          .make = MakeScore<GraphScore>};
}

}  // namespace heed
