// Convolution of embedded symbols with max pooling over time.
#ifndef HEED_KERNELS_WINDOW_MAX_H_
#define HEED_KERNELS_WINDOW_MAX_H_

#include "heed/tensor/tensor.h"

namespace heed::kernels {

struct WindowMaxResult {
  Tensor values;  // [U, F]
  Tensor starts;  // [U, F]: position p of the maximum, in values' dtype
};

/// y[u, f] = max_p Σ_j table[id(u, p + j), j F + f] over all windows j = 0..W−1
/// that overlap the row: a convolution of embeddings with filters of width W,
/// whose products with each symbol are in the table, and max pooling over time.
/// A row ends before its first id 0, which also pads it. Shapes: table [V, W
/// F], ids i32 [U, L]. Range: 0 <= id < V. Paper: Collobert et al. 2011,
/// section 3.3.2.
WindowMaxResult WindowMax(const Tensor& table, const Tensor& ids,
                          int64_t width);

/// Adds the gradient with respect to the table to dtable [V, W F].
void WindowMaxGradTo(Tensor& dtable, const Tensor& dy, const Tensor& starts,
                     const Tensor& ids);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_WINDOW_MAX_H_
