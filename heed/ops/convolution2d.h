// Differentiable convolution and pooling of images.
//
// Images are [B, H, W, C] (NHWC).
#ifndef HEED_OPS_CONVOLUTION2D_H_
#define HEED_OPS_CONVOLUTION2D_H_

#include "heed/autograd/context.h"
#include "heed/kernels/convolution2d.h"

namespace heed {

/// Square window: size, stride, padding.
using Window2d = kernels::Window2d;

/// y[b, i, j, f] = bias[f] + Σ_{u, v, c} x[b, i s + u − p, j s + v − p, c] w[u,
/// v, c, f] with stride s and padding p, x zero outside: a cross-correlation,
/// as usual in convolutional networks. An undefined bias is omitted. Shapes: x
/// [B, H, W, C], w [K, K, C, F], bias [F], result [B, H', W', F] with H' = ⌊(H
/// + 2 p − K) / s⌋ + 1. Throws: ShapeError, also if no window fits. Paper:
/// LeCun et al. 1989.
Var Convolve2d(const Var& x, const Var& w, const Var& bias,
               const Window2d& window,
               kernels::Precision precision = kernels::Precision::kNative);

/// Maximum over adjacent windows of size × size; rows and columns that fill no
/// window are ignored. The gradient goes to the first of equal maxima. Shapes:
/// x [B, H, W, C], result [B, ⌊H / size⌋, ⌊W / size⌋, C]. Throws: ShapeError.
Var MaxPool2d(const Var& x, int64_t size);

/// Mean over adjacent windows of size × size. Shapes: x [B, H, W, C], result
/// [B, ⌊H / size⌋, ⌊W / size⌋, C]. Throws: ShapeError.
Var MeanPool2d(const Var& x, int64_t size);

}  // namespace heed

#endif  // HEED_OPS_CONVOLUTION2D_H_
