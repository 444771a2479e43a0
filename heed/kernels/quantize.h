// Quantisation to int8 with one scale per row or column.
//
// A row of x becomes round(x / scale) with scale = max |x| / 127. Sums of
// products are exact integers, so results are equal on every processor. A row
// with NaN or infinity gets the scale NaN; a row below 2^-119 becomes zeros
// with the scale 0.
#ifndef HEED_KERNELS_QUANTIZE_H_
#define HEED_KERNELS_QUANTIZE_H_

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Maximum number of int8 products whose sum always fits in an i32.
inline constexpr int64_t kMaxInt8Sum = int64_t{1} << 17;

/// Left operand [R, K], quantised to int8 once for several products.
struct QuantizedRows {
  Tensor values;  // i8 [R, K rounded up to a multiple of 4], padded with 0
  Tensor scales;  // f32 [R]
  Tensor sums;    // i32 [R], sum of the values of each row
  int64_t k = 0;
};

/// Quantises rows. With a `multiplier` above 0, all rows have the scale 1 /
/// multiplier, and numbers beyond 127 times that are clamped. Shapes: x [...,
/// K] f32, whose rows may be apart.
QuantizedRows QuantizeRows(const Tensor& x, float multiplier = 0);

/// Weight quantised to int8: element (i, j) is values[i, j] times scales[i] if
/// `by_row`, else times scales[j].
struct QuantizedMatrix {
  Tensor values;  // i8 [K, N]
  Tensor scales;  // f32 [K] or [N]
  bool by_row = false;

  bool defined() const { return values.defined(); }
};

/// Quantises a weight. Shapes: w [K, N] f32.
QuantizedMatrix Quantize(const Tensor& w, bool by_row);
/// Converts `w` to an f32 matrix.
Tensor Dequantize(const QuantizedMatrix& w);

/// y[i, :] = w[ids[i], :] as f32. Shapes: w [V, M] by row, ids i32 of any
/// shape, y ids.shape + [M]. Range: 0 <= id < V.
Tensor GatherRows(const QuantizedMatrix& w, const Tensor& ids);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_QUANTIZE_H_
