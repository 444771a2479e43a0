// Differentiable convolution along a sequence.
#ifndef HEED_OPS_CONVOLUTION_H_
#define HEED_OPS_CONVOLUTION_H_

#include "heed/autograd/context.h"

namespace heed {

/// f[n, s, k] = Σ_j a[n, j] filters[k, s − j + (W − 1) / 2], zero outside: a
/// convolution (the filter is reversed), cropped equally on both sides.
/// Shapes: a [N, S], filters [K, W] with W odd, result [N, S, K].
/// Throws: ShapeError.
/// Paper: Chorowski et al. 2015, arXiv:1506.07503, section 2.1.
Var ConvolveSame(const Var& a, const Var& filters);

}  // namespace heed

#endif  // HEED_OPS_CONVOLUTION_H_
