// Differentiable products with weights, and embeddings.
#ifndef HEED_OPS_MATMUL_H_
#define HEED_OPS_MATMUL_H_

#include "heed/autograd/context.h"

namespace heed {

/// y = x W. Shapes: x [..., K], weight [K, N], y [..., N]. If the weight is a
/// parameter, its packed form is used. Throws: ShapeError.
Var MatMul(const Var& x, const Var& weight);

/// y = x W + b. Shapes: bias [N].
Var Affine(const Var& x, const Var& weight, const Var& bias);

/// y = x Wᵀ + b, for an embedding used as output projection. Shapes: x [...,
/// K], weight [N, K], bias [N].
Var AffineTransposed(const Var& x, const Var& weight, const Var& bias);

/// y = base + x W; `base` is consumed: its storage is reused unless shared.
/// Shapes: base [..., N].
Var MatMulAdd(Var base, const Var& x, const Var& weight);

/// Looks up rows of a table. Shapes: table [V, M], ids i32 [...], result [...,
/// M]. Throws: ShapeError if an id is out of range.
Var Embed(const Var& table, const Tensor& ids);

}  // namespace heed

#endif  // HEED_OPS_MATMUL_H_
