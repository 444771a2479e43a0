// Normalisers that are not shift-invariant, with a learned bias of the scores.
#ifndef HEED_ATTENTION_NORMALIZERS_BIASED_H_
#define HEED_ATTENTION_NORMALIZERS_BIASED_H_

#include <functional>
#include <memory>

#include "heed/attention/normalizer.h"

namespace heed {

/// An op from scores to weights or to other scores of the same shape.
using ScoresOp = Var (*)(const Var& scores);

/// The argument of a biased normaliser: 1 learns the bias, 0 leaves it and the
/// shift out.
inline PartArgument BiasArgument() { return {"bias", 1, 0, 1}; }

/// The PartInfo::make of weights op(shift(e) + b), with a learned number b for
/// each head that starts at 0; without a shift, of op(e + b). A softmax cancels
/// such a bias, a sigmoid does not. Parameter: normalizer.bias [H].
std::function<std::unique_ptr<Normalizer>(const Scope& scope,
                                          const AttentionSizes& sizes,
                                          std::span<const double> arguments)>
MakeBiasedNormalizer(ScoresOp op, ScoresOp shift = nullptr);

}  // namespace heed

#endif  // HEED_ATTENTION_NORMALIZERS_BIASED_H_
