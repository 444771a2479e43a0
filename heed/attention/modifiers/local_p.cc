// Local attention with a predicted centre p_t = (S − 1) σ(vᵀ tanh(W q_t)), a
// window of D keys on each side and a Gaussian of σ = D / 2 around p_t. As
// published, the Gaussian multiplies the weights, which then sum to less than
// one; in the authors' later code it multiplies the scores before the softmax.
// The centre learns through the Gaussian alone.
// Paper: Luong et al. 2015, arXiv:1508.04025, eq. 9 and 10.
#include "heed/attention/modifiers/modifiers.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/score_modifiers.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

using Kind = kernels::ScoreModifier::Kind;

template <Kind kGaussian>
class LocalPModifier : public Modifier {
 public:
  LocalPModifier(const Scope& scope, const AttentionSizes& n,
                 std::span<const double> arguments)
      : width_(arguments[0]),
        hidden_(
            scope.Add("centre.weight", {n.heads * n.query, n.units}, n.init)),
        output_(scope.Add("centre.score", {n.units, 1}, n.init)) {}

  std::vector<ScoreStep> Steps(const AttentionSite& site) const override {
    const Var hidden = Tanh(MatMul(site.query, site.ctx.Use(hidden_)));
    const Var part = Sigmoid(MatMul(hidden, site.ctx.Use(output_)));
    const Var centre = Reshape(site.PerRow(Mul(part, LastPosition(site))),
                               {site.batch, site.heads, site.queries});
    return {{kGaussian, width_ / 2, centre}, {Kind::kWindow, width_, centre}};
  }
  bool takes_query() const override { return true; }
  bool fused() const override { return true; }

 private:
  /// S − 1 of each row's real keys [B, T, 1].
  static Tensor LastPosition(const AttentionSite& site) {
    Tensor last({site.batch, site.queries, 1}, DType::kF64);
    for (int64_t i = 0; i < last.numel(); ++i) {
      const int64_t keys = site.lengths.defined()
                               ? site.lengths.data<int32_t>()[i / site.queries]
                               : site.keys;
      last.data<double>()[i] =
          static_cast<double>(std::max<int64_t>(keys - 1, 0));
    }
    return last.To(site.dtype);
  }

  double width_;
  Parameter& hidden_;
  Parameter& output_;
};

}  // namespace

ModifierInfo LocalPInfo() {
  return {.name = "local_p",
          .formula = "a exp(−(s − p_t)² / 2σ²), |s − p_t| ≤ D",
          .source = "Luong et al. 2015, arXiv:1508.04025",
          .arguments = {{"D", 10, 1, 1e6}},
          .make = MakeModifier<LocalPModifier<Kind::kGaussianWeights>>};
}

ModifierInfo LocalPScoresInfo() {
  return {.name = "local_p_scores",
          .formula = "e exp(−(s − p_t)² / 2σ²), |s − p_t| ≤ D",
          .source = "the code of Luong et al. 2015, arXiv:1508.04025",
          .arguments = {{"D", 10, 1, 1e6}},
          .make = MakeModifier<LocalPModifier<Kind::kGaussianScores>>};
}

}  // namespace heed
