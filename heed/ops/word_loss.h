// The loss of words without all their scores.
#ifndef HEED_OPS_WORD_LOSS_H_
#define HEED_OPS_WORD_LOSS_H_

#include "heed/ops/loss.h"

namespace heed {

/// What scores words: x W + bias, or x Wᵀ + bias if `transposed`.
struct WordWeights {
  Var weight;  // [M, V], transposed [V, M]
  bool transposed;
  Var bias;  // [V]
};

/// CrossEntropy of the scores of x, a block of rows at a time: the block stays
/// in the cache from its scores to all their gradients, which are computed
/// here, and the scores of all rows, often the largest tensor of a training,
/// are never in memory together. Rows that do not count cost nothing.
/// Shapes: x [..., M], targets i32 of as many elements as x has rows.
/// Throws: ShapeError for shapes or targets out of range.
CrossEntropyLoss WordLoss(const Var& x, const WordWeights& words,
                          const Tensor& targets,
                          const CrossEntropyOptions& options);

}  // namespace heed

#endif  // HEED_OPS_WORD_LOSS_H_
