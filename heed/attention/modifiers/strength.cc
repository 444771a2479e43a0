// e' = β_t e, β_t = softplus(wᵀ q_t + b): a learned sharpness for each query.
// With the score "cosine" this is the key strength of content addressing.
// Paper: Graves et al. 2014, arXiv:1410.5401, eq. 5.
#include "heed/attention/modifiers/modifiers.h"
#include "heed/ops/matmul.h"
#include "heed/ops/score_modifiers.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

class StrengthModifier : public Modifier {
 public:
  StrengthModifier(const Scope& scope, const AttentionSizes& n,
                   std::span<const double> /*arguments*/)
      : weight_(
            scope.Add("strength.weight", {n.heads * n.query, n.heads}, n.init)),
        bias_(scope.Add("strength.bias", {n.heads},
                        {Init::Kind::kConstant, 1})) {}

  std::vector<ScoreStep> Steps(const AttentionSite& site) const override {
    const Var strength = Softplus(site.PerRow(
        Affine(site.query, site.ctx.Use(weight_), site.ctx.Use(bias_))));
    return {{kernels::ScoreModifier::Kind::kRowScale, 1,
             Reshape(strength, {site.batch, site.heads, site.queries})}};
  }
  bool takes_query() const override { return true; }
  bool fused() const override { return true; }

 private:
  Parameter& weight_;
  Parameter& bias_;
};

}  // namespace

ModifierInfo StrengthInfo() {
  return {.name = "strength",
          .formula = "β_t e",
          .source = "Graves et al. 2014, arXiv:1410.5401",
          .arguments = {},
          .make = MakeModifier<StrengthModifier>};
}

}  // namespace heed
