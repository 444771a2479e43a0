// The makers of all modifiers, for the registry.
#ifndef HEED_ATTENTION_MODIFIERS_MODIFIERS_H_
#define HEED_ATTENTION_MODIFIERS_MODIFIERS_H_

#include "heed/attention/modifier.h"

namespace heed {

ModifierInfo AlibiInfo();
ModifierInfo InterpolateInfo();
ModifierInfo LearnedBiasInfo();
ModifierInfo LocalPInfo();
ModifierInfo LocalPScoresInfo();
ModifierInfo MedianWindowInfo();
ModifierInfo RelativeBiasInfo();
ModifierInfo RotaryInfo();
ModifierInfo SharpenInfo();
ModifierInfo SharpenWeightsInfo();
ModifierInfo ShiftInfo();
ModifierInfo SoftCapInfo();
ModifierInfo StrengthInfo();
ModifierInfo TemperatureInfo();

/// PartInfo::make for a class constructed from scope, sizes and arguments.
template <class T>
std::unique_ptr<Modifier> MakeModifier(const Scope& scope,
                                       const AttentionSizes& sizes,
                                       std::span<const double> arguments) {
  return std::make_unique<T>(scope, sizes, arguments);
}

}  // namespace heed

#endif  // HEED_ATTENTION_MODIFIERS_MODIFIERS_H_
