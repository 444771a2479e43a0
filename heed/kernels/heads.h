// Splitting features into heads and merging heads, and dot products per head.
//
// f32 and f64. Rows of the inputs may be apart.
#ifndef HEED_KERNELS_HEADS_H_
#define HEED_KERNELS_HEADS_H_

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// y[(b H + h) repeat + i, t, :] = x[b, t, h D : (h + 1) D] for H heads and
/// i < repeat. Shapes: x [B, T, H*D], y [B*H*repeat, T, D].
Tensor SplitHeads(const Tensor& x, int64_t heads, int64_t repeat);

/// y[b, t, h D : (h + 1) D] = sum_i x[(b H + h) repeat + i, t, :]: the gradient
/// of SplitHeads. Shapes: x [B*H*repeat, T, D], y [B, T, H*D].
Tensor MergeHeads(const Tensor& x, int64_t heads, int64_t repeat);

/// y[.., h] = sum_d x[.., h D + d] w[h D + d]. Shapes: x [.., H*D], w [H*D], y
/// [.., H].
Tensor HeadDots(const Tensor& x, const Tensor& w, int64_t heads);

/// Gradients of HeadDots: sets dx and adds to dw, unless they are null.
void HeadDotsGrad(const Tensor& x, const Tensor& w, const Tensor& dy,
                  Tensor* dx, Tensor* dw);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_HEADS_H_
