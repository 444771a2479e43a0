// Normalisers that are not shift-invariant, with a learned bias of the scores.
#ifndef HEED_ATTENTION_NORMALIZERS_BIASED_H_
#define HEED_ATTENTION_NORMALIZERS_BIASED_H_

#include <functional>
#include <memory>

#include "heed/attention/normalizer.h"

namespace heed {

/// Op from scores to weights or to scores, of one shape.
using ScoresOp = Var (*)(const Var& scores);

/// Argument of a biased normaliser: 1 learns the bias, 0 omits bias and shift.
inline PartArgument BiasArgument() { return {"bias", 1, 0, 1}; }

/// PartInfo::make of weights op(shift(e) + b), with a learned number b for each
/// head that starts at 0; without a shift, of op(e + b). A softmax cancels such
/// a bias, a sigmoid does not. Parameter: normalizer.bias [H].
std::function<std::unique_ptr<Normalizer>(const Scope& scope,
                                          const AttentionSizes& sizes,
                                          std::span<const double> arguments)>
MakeBiasedNormalizer(ScoresOp op, ScoresOp shift = nullptr);

}  // namespace heed

#endif  // HEED_ATTENTION_NORMALIZERS_BIASED_H_
