// e' = c tanh(e / c): limits scores to (-c, c), so that no softmax saturates;
// small scores hardly change. (Bello et al. 2016, arXiv:1611.09940, appendix
// A.1, clip with C tanh(e), which multiplies small scores by C.) Paper: Gemma
// 2, Riviere et al. 2024, arXiv:2408.00118, section 2 (c = 50).
#include "heed/attention/modifiers/modifiers.h"

namespace heed {
namespace {

class SoftCapModifier : public Modifier {
 public:
  SoftCapModifier(const Scope& /*scope*/, const AttentionSizes& /*sizes*/,
                  std::span<const double> arguments)
      : cap_(arguments[0]) {}

  std::vector<ScoreStep> Steps(const AttentionSite& /*site*/) const override {
    return {{kernels::ScoreModifier::Kind::kSoftCap, cap_, {}}};
  }
  bool fused() const override { return true; }

 private:
  double cap_;
};

}  // namespace

ModifierInfo SoftCapInfo() {
  return {.name = "soft_cap",
          .formula = "c tanh(e / c)",
          .source = "Riviere et al. 2024, arXiv:2408.00118",
          .arguments = {{"c", 50, 1e-3, 1e6}},
          .make = MakeModifier<SoftCapModifier>};
}

}  // namespace heed
