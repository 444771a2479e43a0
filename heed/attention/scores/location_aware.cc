// e_j = wᵀ tanh(W q + U k_j + V f_j + b), f = F * a': the additive score with
// features of the previous weights a', convolved with a few filters F. Paper:
// Chorowski et al. 2015, arXiv:1506.07503, eq. 8 and 9.
#include "heed/attention/scores/additive.h"
#include "heed/attention/scores/scores.h"
#include "heed/ops/convolution.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/heads.h"
#include "heed/ops/matmul.h"

namespace heed {
namespace {

class LocationAwareScore : public AdditiveScore {
 public:
  LocationAwareScore(const Scope& scope, const AttentionSizes& n,
                     std::span<const double> arguments)
      : AdditiveScore(scope, n, arguments),
        heads_(n.heads),
        filters_(scope.Add("filters",
                           {static_cast<int64_t>(arguments[0]),
                            2 * static_cast<int64_t>(arguments[1]) + 1},
                           n.init)),
        location_(scope.Add("location.weight",
                            {static_cast<int64_t>(arguments[0]), n.units},
                            n.init)) {}

  Var KeysAfter(const Context& ctx, const Var& keys,
                const Var& previous) const override {
    const Var features = ConvolveSame(previous, ctx.Use(filters_));
    return Add(keys, MergeHeads(MatMul(features, ctx.Use(location_)), heads_));
  }
  EarlierWeights history() const override { return EarlierWeights::kLast; }

 private:
  int64_t heads_;
  Parameter& filters_;
  Parameter& location_;
};

}  // namespace

ScoreInfo LocationAwareInfo() {
  return {.name = "location_aware",
          .formula = "wᵀ tanh(W q + U k + V (F * a'))",
          .source = "Chorowski et al. 2015, arXiv:1506.07503",
          .arguments = {{"filters", 10, 1, 1000}, {"reach", 100, 0, 10000}},
          .make = MakeScore<LocationAwareScore>};
}

}  // namespace heed
