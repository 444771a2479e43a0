// Moves between features side by side and heads one after the other.
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

}  // namespace heed::kernels

#endif  // HEED_KERNELS_HEADS_H_
