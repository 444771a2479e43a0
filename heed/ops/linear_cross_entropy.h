// Fused output layer and cross-entropy, without storing all scores.
#ifndef HEED_OPS_LINEAR_CROSS_ENTROPY_H_
#define HEED_OPS_LINEAR_CROSS_ENTROPY_H_

#include "heed/ops/loss.h"

namespace heed {

/// Output layer: x W + bias, or x Wᵀ + bias if `transposed`.
struct LinearWeights {
  Var weight;  // [M, V], transposed [V, M]
  bool transposed;
  Var bias;  // [V]
};

/// Cross-entropy of the output layer's scores of x, computed in blocks of rows,
/// together with all gradients. The scores of all rows, often the largest
/// tensor in training, are never stored at once. A block's scores stay in the
/// cache if the gradient of the weight does; otherwise a block has at most
/// 1,024 rows. Ignored rows cost nothing. Shapes: x [..., M], targets i32 with
/// one element for each row of x. Throws: ShapeError for shapes, dtypes or
/// targets out of range. Paper: Hsu et al. 2024, arXiv:2410.10989 (gradients in
/// blocks in the forward pass).
CrossEntropyLoss LinearCrossEntropy(const Var& x, const LinearWeights& output,
                                    const Tensor& targets,
                                    const CrossEntropyOptions& options);

}  // namespace heed

#endif  // HEED_OPS_LINEAR_CROSS_ENTROPY_H_
