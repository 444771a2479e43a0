// Links that the attention of a translator learns beside the translation.
#ifndef HEED_TASKS_TRANSLATE_GUIDED_ALIGNMENT_H_
#define HEED_TASKS_TRANSLATE_GUIDED_ALIGNMENT_H_

#include <cstdint>
#include <span>

#include "heed/metrics/aer.h"
#include "heed/tensor/tensor.h"

namespace heed::translate {

/// A pair of a batch: links between its words, and the word of each of its
/// tokens (−1: of none).
struct LinkedPair {
  const AlignmentLinks* links = nullptr;
  std::span<const int32_t> source_words;
  std::span<const int32_t> target_words;
};

/// What the attention of each target token should be: evenly on all pieces of
/// the source words that its word is linked to; a row of zeros where it is not
/// linked. With `shift`, the row stands one step later, where the token has
/// been read. Shapes: result f32 [B, T, S]; pairs of up to T and S tokens.
/// Paper: Chen et al. 2016, arXiv:1607.01628.
Tensor LinkTargets(std::span<const LinkedPair> pairs, int64_t T, int64_t S,
                   bool shift);

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_GUIDED_ALIGNMENT_H_
