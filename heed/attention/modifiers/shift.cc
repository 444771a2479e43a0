// a'(i) = Σ_j a(j) s(i − j), circular, s = softmax(W q + b) over the shifts
// −R..R: moves the weights by a few positions. Indices wrap around after the
// last real key. Paper: Graves et al. 2014, arXiv:1410.5401, eq. 8.
#include "heed/attention/modifiers/modifiers.h"
#include "heed/ops/heads.h"
#include "heed/ops/matmul.h"
#include "heed/ops/normalizers.h"
#include "heed/ops/score_modifiers.h"

namespace heed {
namespace {

class ShiftModifier : public Modifier {
 public:
  ShiftModifier(const Scope& scope, const AttentionSizes& n,
                std::span<const double> arguments)
      : shift_(scope.Add("shift.weight",
                         {n.heads * n.query, n.heads * Shifts(arguments)},
                         n.init)),
        bias_(scope.Add("shift.bias", {n.heads * Shifts(arguments)},
                        kZeroInit)) {}

  Var Weights(const AttentionSite& site, const Var& weights) const override {
    const Var shift = SplitHeads(
        Affine(site.query, site.ctx.Use(shift_), site.ctx.Use(bias_)),
        site.heads);
    return CircularShift(weights, Softmax(shift), site.lengths);
  }
  bool takes_query() const override { return true; }

 private:
  static int64_t Shifts(std::span<const double> arguments) {
    return 2 * static_cast<int64_t>(arguments[0]) + 1;
  }

  Parameter& shift_;
  Parameter& bias_;
};

}  // namespace

ModifierInfo ShiftInfo() {
  return {.name = "shift",
          .formula = "Σ_j a(j) s(i − j)",
          .source = "Graves et al. 2014, arXiv:1410.5401",
          .arguments = {{"R", 1, 0, 1000}},
          .make = MakeModifier<ShiftModifier>};
}

}  // namespace heed
