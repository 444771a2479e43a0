// Windows around the positions of a sequence; multiplied by filters, a
// convolution.
#ifndef HEED_KERNELS_CONVOLUTION_H_
#define HEED_KERNELS_CONVOLUTION_H_

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// y[n, s, w] = a[n, s - w + (W - 1) / 2], 0 outside of a. Shapes: a [N, S],
/// y [N, S, W]. Range: W odd.
Tensor Windows(const Tensor& a, int64_t width);

/// da[n, j] = sum of the dy[n, s, w] that are copies of a[n, j]. Shapes: dy
/// [N, S, W], da [N, S].
Tensor WindowsGrad(const Tensor& dy);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_CONVOLUTION_H_
