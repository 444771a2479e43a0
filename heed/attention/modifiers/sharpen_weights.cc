// a'(i) = a(i)^γ / Σ_j a(j)^γ, γ = 1 + softplus(wᵀ q + b): undoes the blur of a
// shift.
// Paper: Graves et al. 2014, arXiv:1410.5401, eq. 9.
#include "heed/attention/modifiers/modifiers.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/score_modifiers.h"

namespace heed {
namespace {

class SharpenWeightsModifier : public Modifier {
 public:
  SharpenWeightsModifier(const Scope& scope, const AttentionSizes& n,
                         std::span<const double> /*arguments*/)
      : gamma_(scope.Add("gamma.weight", {n.heads * n.query, n.heads}, n.init)),
        bias_(scope.Add("gamma.bias", {n.heads}, kZeroInit)) {}

  Var Weights(const AttentionSite& site, const Var& weights) const override {
    const Var raw = site.PerRow(
        Affine(site.query, site.ctx.Use(gamma_), site.ctx.Use(bias_)));
    const Tensor one = Tensor::Full(raw.shape(), 1, site.dtype);
    return Sharpen(weights, Add(Softplus(raw), one));
  }
  bool takes_query() const override { return true; }

 private:
  Parameter& gamma_;
  Parameter& bias_;
};

}  // namespace

ModifierInfo SharpenWeightsInfo() {
  return {.name = "sharpen_weights",
          .formula = "a^γ / Σ a^γ",
          .source = "Graves et al. 2014, arXiv:1410.5401",
          .arguments = {},
          .make = MakeModifier<SharpenWeightsModifier>};
}

}  // namespace heed
