// Rules that change the scores of next tokens by the tokens before them.
#ifndef HEED_DECODE_PENALTIES_H_
#define HEED_DECODE_PENALTIES_H_

#include <cstdint>
#include <span>

#include "heed/decode/options.h"

namespace heed {

/// Score of a token that must not follow.
inline constexpr float kExcluded = -1e30F;

/// Changes the scores [V] of the token that follows `tokens`: those of the
/// prompt, and then `written` generated ones.
///
/// - repetition_penalty p: the score of each token that occurs is divided by p
///   if it is positive, else multiplied by p. Paper: Keskar et al. 2019,
///   arXiv:1909.05858, section 4.1.
/// - no_repeat_ngrams n: a token that would complete n tokens that occur
///   already is excluded. Paper: Paulus et al. 2017, arXiv:1705.04304.
/// - min_length: tokens that end a text are excluded before this length.
void Penalize(const DecodeOptions& options, std::span<const int32_t> tokens,
              int64_t written, std::span<float> scores);

}  // namespace heed

#endif  // HEED_DECODE_PENALTIES_H_
