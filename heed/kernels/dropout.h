// Dropout whose mask depends only on a key and the position.
#ifndef HEED_KERNELS_DROPOUT_H_
#define HEED_KERNELS_DROPOUT_H_

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

struct DropoutKey {
  double rate = 0;  // 0: no dropout
  uint64_t key = 0;
};

/// y[i] = x[i] m[i], with m[i] = 0 with probability `rate` and 1 / (1 - rate)
/// otherwise. m[i] depends on key and i alone: the gradient is Dropout of dy
/// with the same key. Range: 0 <= rate < 1.
Tensor Dropout(const Tensor& x, double rate, uint64_t key);

/// Dropout in place of a part of a tensor with `width` columns; the part starts
/// at `row` and `column`. Shapes: part [R, C]; its rows may be apart.
void DropPart(Tensor& part, int64_t row, int64_t column, int64_t width,
              const DropoutKey& dropout);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_DROPOUT_H_
