// Convolution of images and pooling.
//
// Images are [B, H, W, C], channels side by side (NHWC); f32 and f64, dense.
// f64, processors other than x86 and whoever wants the same bits on every CPU
// multiply windows that are laid out as rows (im2col), x86 asks oneDNN.
#ifndef HEED_KERNELS_CONVOLUTION2D_H_
#define HEED_KERNELS_CONVOLUTION2D_H_

#include <cstdint>

#include "heed/kernels/gemm.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// How a square window moves over an image, and how many rows and columns of
/// zeros stand around it.
struct Window2d {
  int64_t size = 3;
  int64_t stride = 1;
  int64_t padding = 0;

  /// Places of the window along `extent` rows or columns; none if it is larger.
  int64_t Places(int64_t extent) const {
    const int64_t room = extent + 2 * padding - size;
    return room < 0 ? 0 : room / stride + 1;
  }
};

/// y[b, i, j, f] = bias[f] + sum over u, v, c of
///                 x[b, i stride + u - padding, j stride + v - padding, c]
///                 w[u, v, c, f], x zero outside. An undefined bias is zero.
/// Factors are rounded as `precision` says (kInt8: as kNative).
/// Shapes: x [B, H, W, C], w [K, K, C, F], bias [F], result [B, H', W', F].
Tensor Convolve2d(const Tensor& x, const Tensor& w, const Tensor& bias,
                  const Window2d& window, Precision precision);

/// The gradient of x, which has the shape `images`.
Tensor Convolve2dInputGrad(const Tensor& dy, const Tensor& w,
                           const Shape& images, const Window2d& window,
                           Precision precision);

/// dw += the gradient of w. The same bits for any number of threads.
void Convolve2dWeightGrad(const Tensor& x, const Tensor& dy,
                          const Window2d& window, Precision precision,
                          Tensor& dw);

/// Windows as rows, by oneDNN or not: what the others are compared with.
/// Shapes: x [B, H, W, C], result [B, H', W', K K C].
Tensor Unfold2d(const Tensor& x, const Window2d& window);
/// Its gradient: each element of an image is the sum of its copies.
Tensor Unfold2dGrad(const Tensor& dy, const Shape& images,
                    const Window2d& window);

/// y[b, i, j, c] = the maximum of x in the window of size K at (K i, K j);
/// `places` gets where in the window it is, by row, the first of equal ones.
/// Rows and columns at the end that fill no window are left out.
/// Shapes: x [B, H, W, C], y and places [B, H / K, W / K, C], of x's dtype.
Tensor MaxPool2d(const Tensor& x, int64_t size, Tensor& places);
Tensor MaxPool2dGrad(const Tensor& dy, const Tensor& places,
                     const Shape& images, int64_t size);

/// The mean of the same windows.
Tensor MeanPool2d(const Tensor& x, int64_t size);
Tensor MeanPool2dGrad(const Tensor& dy, const Shape& images, int64_t size);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_CONVOLUTION2D_H_
