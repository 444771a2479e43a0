// Numbers as signed bytes with a scale each row or column shares.
//
// A row of x becomes round(x / scale) with scale = max |x| / 127, so that the
// sums of a product are exact integers and every processor gives the same bits.
// A row with a NaN or an infinity gets the scale NaN; one whose numbers are all
// below 2^-119 becomes zeros with the scale 0.
#ifndef HEED_KERNELS_QUANTIZE_H_
#define HEED_KERNELS_QUANTIZE_H_

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Longest sum of products of two bytes that surely fits in an i32.
inline constexpr int64_t kMaxInt8Sum = int64_t{1} << 17;

/// A left operand [R, K], quantised to int8. One serves all products with it.
struct QuantizedRows {
  Tensor values;  // i8 [R, K rounded up to a multiple of 4, the rest 0]
  Tensor scales;  // f32 [R]
  Tensor sums;    // i32 [R], of the values of each row
  int64_t k = 0;
};

/// Shapes: x [..., K] f32, whose rows may be apart.
QuantizedRows QuantizeRows(const Tensor& x);

/// A weight quantised to int8: element (i, j) is values[i, j] times scales[i]
/// if `by_row`, else times scales[j].
struct QuantizedMatrix {
  Tensor values;  // i8 [K, N]
  Tensor scales;  // f32 [K] or [N]
  bool by_row = false;

  bool defined() const { return values.defined(); }
};

/// Shapes: w [K, N] f32.
QuantizedMatrix Quantize(const Tensor& w, bool by_row);
/// The f32 matrix that `w` stands for.
Tensor Dequantize(const QuantizedMatrix& w);

/// y[i, :] = w[ids[i], :] as f32. Shapes: w [V, M] by row, ids i32 of any
/// shape, y ids.shape + [M]. Range: 0 <= id < V.
Tensor GatherRows(const QuantizedMatrix& w, const Tensor& ids);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_QUANTIZE_H_
