// Differentiable activations: alone, after an affine map and as gates.
#ifndef HEED_OPS_ACTIVATION_H_
#define HEED_OPS_ACTIVATION_H_

#include "heed/autograd/context.h"
#include "heed/kernels/activation.h"

namespace heed {

using kernels::Activation;

/// f(x).
Var Activate(const Var& x, Activation f);

/// f(x W + b). Shapes: x [..., K], weight [K, N], bias [N] or undefined, result
/// [..., N]. Throws: ShapeError.
Var AffineActivation(const Var& x, const Var& weight, const Var& bias,
                     Activation f);

/// f(x[..., :N]) · x[..., N:]. Shapes: x [..., 2N], result [..., N].
/// Throws: ShapeError for an odd number of columns.
/// Paper: Shazeer 2020, arXiv:2002.05202 (kSwish: SwiGLU, kGelu: GEGLU).
Var GatedActivation(const Var& x, Activation f);

}  // namespace heed

#endif  // HEED_OPS_ACTIVATION_H_
