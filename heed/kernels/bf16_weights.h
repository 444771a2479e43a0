// Right factors of products that are stored in bf16: half the bytes of f32.
#ifndef HEED_KERNELS_BF16_WEIGHTS_H_
#define HEED_KERNELS_BF16_WEIGHTS_H_

#include "heed/kernels/gemm.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Packs a bf16 matrix b [K, N], or its transpose if `transpose` (then b is [N,
/// K]), without rounding. Rows of b may be apart. Reuses the storage of
/// `packed` if it fits.
///
/// kBF16 gives products that also round their left factor to bf16, where
/// HasBF16(). All others leave the left factor in f32: results equal, bit for
/// bit, native products with the values of b in f32.
void PackBF16(const Tensor& b, bool transpose, Precision precision,
              PackedMatrix& packed);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_BF16_WEIGHTS_H_
