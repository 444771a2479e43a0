// Weights of students as Firefox's engine reads them.
#ifndef HEED_CONVERT_BERGAMOT_WEIGHTS_H_
#define HEED_CONVERT_BERGAMOT_WEIGHTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "heed/convert/calibration.h"
#include "heed/convert/marian_transformer.h"
#include "heed/io/marian_binary.h"

namespace heed {

/// Ids of the tokens of an exported vocabulary; -1: an unused one.
struct BergamotTokens {
  std::span<const int32_t> source;
  std::span<const int32_t> target;
};

/// True if an exported table keeps its int8 bytes: it has one scale, and its
/// largest byte, from which the engine computes the scale again.
bool KeepsBytes(const Parameter& table);

/// Weights of a student: matrices in int8 with one multiplier each and the
/// multiplier of their activations, others in f32. Bytes with one scale stay.
/// Throws: ConfigError that names a matrix without multipliers of activations.
std::vector<MarianTensor> ExportWeights(const TransformerConfig& config,
                                        const ParameterSet& parameters,
                                        const BergamotTokens& tokens,
                                        const Multipliers& multipliers);

}  // namespace heed

#endif  // HEED_CONVERT_BERGAMOT_WEIGHTS_H_
