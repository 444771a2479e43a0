// Matrix products.
//
// Every product runs as chunks of rows of a dense left operand against a right
// operand that was packed once for the library's kernels, so that a weight is
// rearranged once and used for many steps.
#ifndef HEED_KERNELS_GEMM_H_
#define HEED_KERNELS_GEMM_H_

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// In what a product rounds its factors; sums are f32 (f64 for f64 tensors).
enum class Precision : uint8_t { kNative, kBF16 };

/// True if this processor multiplies bf16 in hardware.
bool HasBF16();

/// A right operand [K, N], arranged for products. Cheap to copy.
struct PackedMatrix {
  Tensor data;
  int64_t k = 0;
  int64_t n = 0;
  Precision precision = Precision::kNative;
};

/// Packs b [K, N], or its transpose if `transpose` (then b is [N, K]). Rows of
/// b may be apart. Reuses the storage of `packed` if it fits.
void Pack(const Tensor& b, bool transpose, Precision precision,
          PackedMatrix& packed);

/// c (+)= a b. Shapes: a [..., K], b [K, N], c [..., N]. Rows of a may be
/// apart; c is dense.
void Multiply(const Tensor& a, const PackedMatrix& b, bool accumulate,
              Tensor& c);

/// c (+)= xᵀ y: the gradient of a weight. Shapes: x [R, K], y [R, N], c [K, N].
/// Rows of x and y may be apart; c is dense.
void MultiplyTransposed(const Tensor& x, const Tensor& y, bool accumulate,
                        Precision precision, Tensor& c);

/// f32 (or bf16) product rate of this machine now, over all threads.
/// Units: operations per second. Takes about `seconds`.
double MeasureProductRate(Precision precision, double seconds);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_GEMM_H_
