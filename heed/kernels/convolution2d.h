// Convolution and pooling of images.
//
// Images are [B, H, W, C] (NHWC), f32 and f64, dense. f32 on x86 uses oneDNN.
// f64, other processors and SameOnEveryCpu multiply windows laid out as rows
// (im2col).
#ifndef HEED_KERNELS_CONVOLUTION2D_H_
#define HEED_KERNELS_CONVOLUTION2D_H_

#include <cstdint>

#include "heed/kernels/gemm.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Size and stride of a square window, and the zero padding on each side.
struct Window2d {
  int64_t size = 3;
  int64_t stride = 1;
  int64_t padding = 0;

  /// Number of window positions along `extent` rows or columns; 0 if the window
  /// is larger.
  int64_t Places(int64_t extent) const {
    const int64_t room = extent + 2 * padding - size;
    return room < 0 ? 0 : room / stride + 1;
  }
};

/// y[b, i, j, f] = bias[f] + sum over u, v, c of
///                 x[b, i stride + u - padding, j stride + v - padding, c]
///                 w[u, v, c, f], x zero outside. An undefined bias is zero.
/// Factors are rounded to `precision` (kInt8: as kNative). Shapes: x [B, H, W,
/// C], w [K, K, C, F], bias [F], result [B, H', W', F].
Tensor Convolve2d(const Tensor& x, const Tensor& w, const Tensor& bias,
                  const Window2d& window, Precision precision);

/// Gradient of x, which has the shape `images`.
Tensor Convolve2dInputGrad(const Tensor& dy, const Tensor& w,
                           const Shape& images, const Window2d& window,
                           Precision precision);

/// dw += the gradient of w. Deterministic for any number of threads.
void Convolve2dWeightGrad(const Tensor& x, const Tensor& dy,
                          const Window2d& window, Precision precision,
                          Tensor& dw);

/// Windows as rows (im2col), on every processor; the reference for the other
/// convolutions. Shapes: x [B, H, W, C], result [B, H', W', K K C].
Tensor Unfold2d(const Tensor& x, const Window2d& window);
/// Gradient of Unfold2d: the sum over all copies of each element.
Tensor Unfold2dGrad(const Tensor& dy, const Shape& images,
                    const Window2d& window);

/// Max pooling: y[b, i, j, c] is the maximum of x in the window of size K at (K
/// i, K j). `places` receives its index in the window, by row; the first if
/// several are equal. Rows and columns at the end that fill no window are
/// ignored. Shapes: x [B, H, W, C], y and places [B, H / K, W / K, C], of x's
/// dtype.
Tensor MaxPool2d(const Tensor& x, int64_t size, Tensor& places);
Tensor MaxPool2dGrad(const Tensor& dy, const Tensor& places,
                     const Shape& images, int64_t size);

/// Mean pooling over windows of size K at (K i, K j). Shapes: x [B, H, W, C],
/// result [B, H / K, W / K, C].
Tensor MeanPool2d(const Tensor& x, int64_t size);
Tensor MeanPool2dGrad(const Tensor& dy, const Shape& images, int64_t size);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_CONVOLUTION2D_H_
