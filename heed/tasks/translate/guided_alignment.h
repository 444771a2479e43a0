// Guided alignment: alignment links as training targets of attention.
#ifndef HEED_TASKS_TRANSLATE_GUIDED_ALIGNMENT_H_
#define HEED_TASKS_TRANSLATE_GUIDED_ALIGNMENT_H_

#include <cstdint>
#include <span>

#include "heed/metrics/aer.h"
#include "heed/tensor/tensor.h"

namespace heed::translate {

/// A pair of a batch: links between its words, and the word of each token (−1:
/// none).
struct LinkedPair {
  const AlignmentLinks* links = nullptr;
  std::span<const int32_t> source_words;
  std::span<const int32_t> target_words;
};

/// Target attention weights of each target token: uniform over all pieces of
/// the source words that its word is linked to; zeros without links. With
/// `shift`, each row is one step later, when the token has been read.
/// Shapes: result f32 [B, T, S]; pairs of up to T and S tokens.
/// Paper: Chen et al. 2016, arXiv:1607.01628.
Tensor LinkTargets(std::span<const LinkedPair> pairs, int64_t T, int64_t S,
                   bool shift);

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_GUIDED_ALIGNMENT_H_
