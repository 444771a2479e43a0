// a' = g a + (1 − g) a_before, g = σ(wᵀ q + b): a gate between the new weights
// and those of the previous step. Before the first step all weight is at key 0.
// Paper: Graves et al. 2014, arXiv:1410.5401, eq. 7.
#include "heed/attention/modifiers/modifiers.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/score_modifiers.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

class InterpolateModifier : public Modifier {
 public:
  InterpolateModifier(const Scope& scope, const AttentionSizes& n,
                      std::span<const double> /*arguments*/)
      : gate_(scope.Add("gate.weight", {n.heads * n.query, n.heads}, n.init)),
        bias_(scope.Add("gate.bias", {n.heads}, kZeroInit)) {}

  Var Weights(const AttentionSite& site, const Var& weights) const override {
    const Var gate =
        Sigmoid(Affine(site.query, site.ctx.Use(gate_), site.ctx.Use(bias_)));
    return Interpolate(weights, Reshape(site.previous, weights.shape()),
                       site.PerRow(gate));
  }
  bool uses_history() const override { return true; }
  bool takes_query() const override { return true; }

 private:
  Parameter& gate_;
  Parameter& bias_;
};

}  // namespace

ModifierInfo InterpolateInfo() {
  return {.name = "interpolate",
          .formula = "g a + (1 − g) a'",
          .source = "Graves et al. 2014, arXiv:1410.5401",
          .arguments = {},
          .make = MakeModifier<InterpolateModifier>};
}

}  // namespace heed
