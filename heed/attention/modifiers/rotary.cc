// Rotary position embedding: rotates queries and keys by an angle proportional
// to their position, so that a dot product depends on their distance. Paper: Su
// et al. 2021, arXiv:2104.09864, eq. 34.
#include "heed/kernels/rotary.h"

#include "heed/attention/modifiers/modifiers.h"
#include "heed/ops/score_modifiers.h"

namespace heed {
namespace {

class RotaryModifier : public Modifier {
 public:
  RotaryModifier(const Scope& /*scope*/, const AttentionSizes& /*sizes*/,
                 std::span<const double> arguments)
      : base_(arguments[0]) {}

  Var Query(const AttentionSite& site, const Var& query) const override {
    return Rotary(query, site.heads, site.offset, base_);
  }
  Var Keys(const Context& /*ctx*/, const Var& keys, int64_t heads,
           int64_t offset) const override {
    return Rotary(keys, heads, offset, base_);
  }

  void TurnRows(int64_t steps, int64_t features, int64_t offset,
                Tensor& x) const override {
    kernels::RotateRows(
        kernels::RotaryTurns(steps, features, offset, base_, DType::kF32), x);
  }

  bool turns() const override { return true; }
  bool steps() const override { return true; }
  bool fused() const override { return true; }

 private:
  double base_;
};

}  // namespace

ModifierInfo RotaryInfo() {
  return {.name = "rotary",
          .formula = "(R_t q)ᵀ (R_s k)",
          .source = "Su et al. 2021, arXiv:2104.09864",
          .arguments = {{"base", 10000, 1.000001, 1e12}},
          .make = MakeModifier<RotaryModifier>};
}

}  // namespace heed
