// e' = β e and e' = e / τ: multiplication by a constant, given as a sharpening
// factor or as a temperature. A larger β (a smaller τ) gives sharper weights.
// Papers: Chorowski et al. 2015, arXiv:1506.07503, section 2.3 (sharpening);
// Hinton et al. 2015, arXiv:1503.02531, eq. 1 (temperature).
#include "heed/attention/modifiers/modifiers.h"

namespace heed {
namespace {

class ScaleModifier : public Modifier {
 public:
  explicit ScaleModifier(double factor) : factor_(factor) {}

  std::vector<ScoreStep> Steps(const AttentionSite& /*site*/) const override {
    return {{kernels::ScoreModifier::Kind::kScale, factor_, {}}};
  }
  bool fused() const override { return true; }

 private:
  double factor_;
};

}  // namespace

ModifierInfo SharpenInfo() {
  return {
      .name = "sharpen",
      .formula = "β e",
      .source = "Chorowski et al. 2015, arXiv:1506.07503",
      .arguments = {{"β", 2, 0, 1e6}},
      .make =
          [](const Scope&, const AttentionSizes&,
             std::span<const double> arguments) -> std::unique_ptr<Modifier> {
        return std::make_unique<ScaleModifier>(arguments[0]);
      }};
}

ModifierInfo TemperatureInfo() {
  return {
      .name = "temperature",
      .formula = "e / τ",
      .source = "Hinton et al. 2015, arXiv:1503.02531",
      .arguments = {{"τ", 2, 1e-6, 1e6}},
      .make =
          [](const Scope&, const AttentionSizes&,
             std::span<const double> arguments) -> std::unique_ptr<Modifier> {
        return std::make_unique<ScaleModifier>(1 / arguments[0]);
      }};
}

}  // namespace heed
