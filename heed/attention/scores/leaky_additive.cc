// e = wᵀ LeakyReLU(W q + U k + b): GATv2. The LeakyReLU is inside the sum over
// hidden units, so the ranking of keys depends on the query, unlike in the
// score "graph" (dynamic attention). Paper: Brody, Alon, Yahav 2021,
// arXiv:2105.14491, eq. 7.
#include "heed/attention/scores/additive.h"
#include "heed/attention/scores/scores.h"
#include "heed/ops/attention.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr auto kLeakyUnits = kernels::AttentionArgs::Score::kLeaky;

class LeakyAdditiveScore : public AffineScore {
 public:
  LeakyAdditiveScore(const Scope& scope, const AttentionSizes& n,
                     std::span<const double> arguments)
      : AffineScore(scope, n),
        heads_(n.heads),
        slope_(arguments[0]),
        w_(scope.Add("score.weight", {n.heads * n.units}, n.init)) {}

  Var Scores(const Context& ctx, const Var& query,
             const Var& keys) const override {
    return PairScores(kLeakyUnits, slope_, query, keys, Weight(ctx));
  }
  std::optional<FusedScore> Fused(const Context& ctx,
                                  DType /*dtype*/) const override {
    return FusedScore{kLeakyUnits, slope_, Weight(ctx)};
  }
  bool fused() const override { return true; }

 private:
  Var Weight(const Context& ctx) const {
    return Reshape(ctx.Use(w_), {heads_, w_.value().numel() / heads_});
  }

  int64_t heads_;
  double slope_;
  Parameter& w_;
};

}  // namespace

ScoreInfo LeakyAdditiveInfo() {
  return {.name = "leaky_additive",
          .formula = "wᵀ LeakyReLU(W q + U k)",
          .source = "Brody et al. 2021, arXiv:2105.14491",
          .arguments = {{"slope", 0.2, 0, 1}},
          .make = MakeScore<LeakyAdditiveScore>};
}

}  // namespace heed
