// Differentiable convolution of images and pooling.
//
// Images are [B, H, W, C], channels side by side.
#ifndef HEED_OPS_CONVOLUTION2D_H_
#define HEED_OPS_CONVOLUTION2D_H_

#include "heed/autograd/context.h"
#include "heed/kernels/convolution2d.h"

namespace heed {

/// How a square window moves over an image: size, stride, padding.
using Window2d = kernels::Window2d;

/// y[b, i, j, f] = bias[f] + Σ_{u, v, c} x[b, i s + u − p, j s + v − p, c]
/// w[u, v, c, f] with stride s and padding p, x zero outside; a correlation, as
/// convolutional networks have it. Without bias if that is undefined.
/// Shapes: x [B, H, W, C], w [K, K, C, F], bias [F], result [B, H', W', F] with
/// H' = ⌊(H + 2 p − K) / s⌋ + 1. Throws: ShapeError, also where no window fits.
/// Paper: LeCun et al. 1989.
Var Convolve2d(const Var& x, const Var& w, const Var& bias,
               const Window2d& window,
               kernels::Precision precision = kernels::Precision::kNative);

/// The maximum of windows of size × size beside each other; rows and columns
/// that fill none are left out. The gradient goes to the first of equal maxima.
/// Shapes: x [B, H, W, C], result [B, ⌊H / size⌋, ⌊W / size⌋, C]. Throws:
/// ShapeError.
Var MaxPool2d(const Var& x, int64_t size);

/// The mean of the same windows.
Var MeanPool2d(const Var& x, int64_t size);

}  // namespace heed

#endif  // HEED_OPS_CONVOLUTION2D_H_
