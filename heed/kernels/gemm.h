// Matrix products.
//
// Every product runs as chunks of rows of a dense left operand against a right
// operand that was packed once for the library's kernels, so that a weight is
// rearranged once and used for many steps.
#ifndef HEED_KERNELS_GEMM_H_
#define HEED_KERNELS_GEMM_H_

#include <cstdint>
#include <span>

#include "heed/kernels/activation.h"
#include "heed/kernels/dropout.h"
#include "heed/kernels/quantize.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// In what a product rounds its factors; sums are f32 (f64 for f64 tensors,
/// which are never rounded). kInt8: each row of the left factor and each column
/// of the right one as quantize.h says, with exact sums: the same bits on every
/// processor. Sums of more than kMaxInt8Sum products are native.
enum class Precision : uint8_t { kNative, kBF16, kInt8 };

/// True if the processor multiplies bf16; on others kBF16 is kNative.
bool HasBF16();

/// In what a factor of such products may be kept with the same results: bf16 if
/// they round it to that, else `dtype`, which it has.
DType StoredDType(Precision precision, DType dtype);
/// A matrix that products read in place, uninitialised. Of bf16 its rows may be
/// apart.
Tensor FactorRows(int64_t rows, int64_t cols, DType dtype);
/// Copies x to `stored`, rounded as products round it if that is bf16. Shapes:
/// equal. Rows of both may be apart.
void StoreFactor(const Tensor& x, Tensor& stored);

/// A right operand [K, N], arranged for products. Cheap to copy.
struct PackedMatrix {
  Tensor data;
  Tensor scales;  // kInt8: of the columns
  int64_t k = 0;
  int64_t n = 0;
  Precision precision = Precision::kNative;
};

/// Packs b [K, N], or its transpose if `transpose` (then b is [N, K]). Rows of
/// b may be apart. Reuses the storage of `packed` if it fits.
void Pack(const Tensor& b, bool transpose, Precision precision,
          PackedMatrix& packed);

/// The same of an int8 weight.
void Pack(const QuantizedMatrix& b, bool transpose, PackedMatrix& packed);

/// Columns are arranged in panels of so many.
inline constexpr int64_t kPanelColumns = 64;

/// The arranged forms of a matrix, each null where there is none.
struct PackedForms {
  PackedMatrix* plain = nullptr;
  PackedMatrix* transposed = nullptr;

  bool any() const { return plain != nullptr || transposed != nullptr; }
};

/// Part of a matrix.
struct MatrixBlock {
  int64_t row, rows, column, columns;
};

/// Packs this block of an f32 matrix b once more, into forms that Pack made of
/// b. Blocks begin at multiples of kPanelColumns and end there or with b.
void PackBlock(const Tensor& b, const MatrixBlock& block,
               const PackedForms& forms);

/// The values of an int8 weight b that Pack arranged: b whether it was
/// transposed or not. Shapes: i8 [K, N], of a transpose [N, K].
Tensor UnpackInt8(const PackedMatrix& packed, bool transpose);

/// y[i, :] = column ids[i] of an int8 b as f32: what GatherRows gives of the
/// weight whose transpose b is. Shapes: ids i32 of any shape, y ids.shape +
/// [K]. Range: 0 <= id < N.
Tensor GatherColumns(const PackedMatrix& b, const Tensor& ids);

/// Columns ids[0], ids[1].. of b: a vocabulary shortlist of an output matrix.
/// Products with them have the bits of those with b.
/// Shapes: ids i32. Range: 0 <= id < N.
PackedMatrix SelectColumns(const PackedMatrix& b, const Tensor& ids);

/// The columns of panels [first, last), of which the last may be beside b; no
/// copy. Not of f64.
PackedMatrix SelectPanels(const PackedMatrix& b, int64_t first, int64_t last);

/// What a product does with its sums while they are in the cache.
struct Epilogue {
  const Tensor* bias = nullptr;  // [N]
  Activation activation = Activation::kNone;
  bool accumulate = false;
  DropoutKey dropout = {};
  Tensor* sums = nullptr;  // gets what f is of, as c; not of kInt8
};

/// c = Dropout(f(c + a b + bias)), c within f only to accumulate. Shapes: a
/// [..., K], b [K, N], c [..., N]. Rows of a may be apart; c is dense. With b
/// in bf16 both may be, as StoreFactor gives them; then rows of c may be apart,
/// and it does not accumulate.
void Multiply(const Tensor& a, const PackedMatrix& b, const Epilogue& epilogue,
              Tensor& c);
/// The same of rows that are quantised once for several products of kInt8.
void Multiply(const QuantizedRows& a, const PackedMatrix& b,
              const Epilogue& epilogue, Tensor& c);

/// Of Dropout(scale f(z)) what its gradient needs.
struct SlopeEpilogue {
  const Tensor& z;  // [..., N], as c
  Activation activation = Activation::kNone;
  double scale = 1;
  DropoutKey dropout = {};
  Tensor* dbias = nullptr;  // [N], gets the sum of the rows of c added
};

/// c = scale f'(z) Dropout(a b). Shapes and types: as of Multiply; not of
/// kInt8.
void MultiplyWithSlope(const Tensor& a, const PackedMatrix& b,
                       const SlopeEpilogue& epilogue, Tensor& c);

/// c (+)= a b.
inline void Multiply(const Tensor& a, const PackedMatrix& b, bool accumulate,
                     Tensor& c) {
  Multiply(a, b, Epilogue{.accumulate = accumulate}, c);
}

/// c (+)= xᵀ y: the gradient of a weight, never of int8. Shapes: x [R, K],
/// y [R, N], c [K, N]. Rows of x and y may be apart; c is dense. Both may be of
/// the type that StoredDType says.
void MultiplyTransposed(const Tensor& x, const Tensor& y, bool accumulate,
                        Precision precision, Tensor& c);

/// Rows of both factors of a sum over rows.
struct RowPair {
  Tensor x;
  Tensor y;
};
/// The same, to the bit, where rows of `pairs` follow one another: [Ri, K] and
/// [Ri, N]. They are read where they stand if all Ri but the last are multiples
/// of 64.
void MultiplyTransposed(std::span<const RowPair> pairs, bool accumulate,
                        Precision precision, Tensor& c);

/// Rate of large products on this machine now, over all threads, of factors
/// that are rounded already. Units: operations per second. Takes about
/// `seconds`.
double MeasureProductRate(Precision precision, double seconds);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_GEMM_H_
