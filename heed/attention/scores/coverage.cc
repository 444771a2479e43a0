// e_j = wᵀ tanh(W q + U k_j + v c_j + b), c_j = Σ_{i < t} a_ij: the additive
// score with the sum of the weights of all steps before. Papers: Tu et al.
// 2016, arXiv:1601.04811; in this form See et al. 2017, arXiv:1704.04368, eq.
// 11.
#include "heed/attention/scores/additive.h"
#include "heed/attention/scores/scores.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/heads.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

class CoverageScore : public AdditiveScore {
 public:
  CoverageScore(const Scope& scope, const AttentionSizes& n,
                std::span<const double> arguments)
      : AdditiveScore(scope, n, arguments),
        heads_(n.heads),
        coverage_(scope.Add("coverage.weight", {1, n.units}, n.init)) {}

  Var KeysAfter(const Context& ctx, const Var& keys,
                const Var& history) const override {
    const Var sums = Reshape(history, {history.dim(0), history.dim(1), 1});
    return Add(keys, MergeHeads(MatMul(sums, ctx.Use(coverage_)), heads_));
  }
  EarlierWeights history() const override { return EarlierWeights::kSum; }

 private:
  int64_t heads_;
  Parameter& coverage_;
};

}  // namespace

ScoreInfo CoverageInfo() {
  return {.name = "coverage",
          .formula = "wᵀ tanh(W q + U k + v Σ a')",
          .source = "See et al. 2017, arXiv:1704.04368",
          .arguments = {},
          .make = MakeScore<CoverageScore>};
}

}  // namespace heed
