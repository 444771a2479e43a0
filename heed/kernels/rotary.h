// Rotary position embedding. Paper: Su et al. 2021, arXiv:2104.09864.
#ifndef HEED_KERNELS_ROTARY_H_
#define HEED_KERNELS_ROTARY_H_

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// cos and sin of (t + offset) base^(-2i / D) for i < D / 2. Shapes: result [T,
/// D], cosines first.
Tensor RotaryTurns(int64_t steps, int64_t cols, int64_t offset, double base,
                   DType dtype);

/// Rotates the pairs (i, i + D/2) of each head; `back` inverts the rotation.
/// Shapes: x [B, T, H*D] of f32 or f64, turns [T, D].
Tensor Rotate(const Tensor& x, const Tensor& turns, bool back);

/// Rotates rows in place; row r is at step r mod T, and rows may be apart.
/// Shapes: turns [T, D], x [R, H*D].
void RotateRows(const Tensor& turns, Tensor& x);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_ROTARY_H_
