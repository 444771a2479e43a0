// Differentiable reductions over the steps of sequences.
#ifndef HEED_OPS_STEPS_H_
#define HEED_OPS_STEPS_H_

#include "heed/autograd/context.h"

namespace heed {

/// y_bm = max_{s < lengths_b} x_bsm, 0 for a sequence of length 0. The gradient
/// goes to the first of equals. Shapes: x [B, S, M], lengths i32 [B], result
/// [B, M]. Throws: ShapeError.
Var MaxOverSteps(const Var& x, const Tensor& lengths);

}  // namespace heed

#endif  // HEED_OPS_STEPS_H_
