// Cross entropy behind an output layer, without all its scores.
#ifndef HEED_OPS_LINEAR_CROSS_ENTROPY_H_
#define HEED_OPS_LINEAR_CROSS_ENTROPY_H_

#include "heed/ops/loss.h"

namespace heed {

/// An output layer: x W + bias, or x Wᵀ + bias if `transposed`.
struct LinearWeights {
  Var weight;  // [M, V], transposed [V, M]
  bool transposed;
  Var bias;  // [V]
};

/// CrossEntropy of the output layer's scores of x, a block of rows at a time,
/// from scores to all gradients, which are computed here. The scores of all
/// rows, often the largest tensor of a training, are never in memory together:
/// a block's stay in the cache if the weight's gradient, which every block adds
/// to, does; else it has at most 1,024 rows. Rows that do not count cost
/// nothing. Shapes: x [..., M], targets i32 of as many elements as x has rows.
/// Throws: ShapeError for shapes, dtypes or targets out of range.
/// Paper: Hsu et al. 2024, arXiv:2410.10989 (gradients in blocks, forward).
CrossEntropyLoss LinearCrossEntropy(const Var& x, const LinearWeights& output,
                                    const Tensor& targets,
                                    const CrossEntropyOptions& options);

}  // namespace heed

#endif  // HEED_OPS_LINEAR_CROSS_ENTROPY_H_
