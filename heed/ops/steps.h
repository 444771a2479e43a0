// Differentiable operations along the steps of sequences.
#ifndef HEED_OPS_STEPS_H_
#define HEED_OPS_STEPS_H_

#include "heed/autograd/context.h"

namespace heed {

/// y_bm = max_{s < lengths_b} x_bsm, 0 for a sequence of length 0. The gradient
/// goes to the first of equal maxima. Shapes: x [B, S, M], lengths i32 [B],
/// result [B, M]. Throws: ShapeError.
Var MaxOverSteps(const Var& x, const Tensor& lengths);

/// Concatenates windows of steps, zero outside the sequence, so that a product
/// with a filter is a convolution:
///   y_bs = [x_b,s−before, …, x_b,s−before+width−1].
/// Shapes: x [B, S, M], result [B, S, width · M]. Range: width ≥ 1, 0 ≤ before
/// < width. Throws: ShapeError.
Var UnfoldSteps(const Var& x, int64_t width, int64_t before);

}  // namespace heed

#endif  // HEED_OPS_STEPS_H_
