// Matrix products.
//
// Every product multiplies chunks of rows of a dense left operand by a packed
// right operand. Packing rearranges a weight once for many products.
#ifndef HEED_KERNELS_GEMM_H_
#define HEED_KERNELS_GEMM_H_

#include <cstdint>
#include <span>

#include "heed/kernels/activation.h"
#include "heed/kernels/dropout.h"
#include "heed/kernels/quantize.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Precision to which a product rounds its factors; sums are f32 (f64 for f64
/// tensors, which are never rounded). kInt8 quantises each row of the left and
/// each column of the right factor, see quantize.h; sums are exact, so results
/// are equal on every processor. Sums of more than kMaxInt8Sum products are
/// native.
enum class Precision : uint8_t { kNative, kBF16, kInt8 };

/// True if the processor multiplies bf16; on others kBF16 means kNative.
bool HasBF16();

/// DType in which a factor can be stored without changing results: bf16 if
/// products round `dtype` to it, else `dtype`.
DType StoredDType(Precision precision, DType dtype);
/// Uninitialised matrix for a stored factor. Rows of a bf16 matrix may be
/// apart.
Tensor FactorRows(int64_t rows, int64_t cols, DType dtype);
/// Copies x to `stored`, rounded if that is bf16. Equal shapes. Rows of both
/// may be apart.
void StoreFactor(const Tensor& x, Tensor& stored);

/// Packed right operand [K, N]. Cheap to copy.
struct PackedMatrix {
  Tensor data;
  Tensor scales;  // kInt8: one per column
  int64_t k = 0;
  int64_t n = 0;
  Precision precision = Precision::kNative;
  /// kInt8: multipliers of QuantizeRows for left factors [P], where the columns
  /// are P blocks of equal width; undefined: each row has its own scale.
  Tensor left_multipliers = {};
};

/// Packs b [K, N], or its transpose if `transpose` (then b is [N, K]). Rows of
/// b may be apart. Reuses the storage of `packed` if it fits.
void Pack(const Tensor& b, bool transpose, Precision precision,
          PackedMatrix& packed);

/// Packs an int8 weight b [K, N], or its transpose.
void Pack(const QuantizedMatrix& b, bool transpose, PackedMatrix& packed);

/// Multiplier of QuantizeRows for the left factors of a kInt8 matrix with at
/// most one; 0: each row has its own scale.
float LeftMultiplier(const PackedMatrix& b);

/// Number of columns of a panel of packed columns.
inline constexpr int64_t kPanelColumns = 64;

/// Packed forms of a matrix; null if there is none.
struct PackedForms {
  PackedMatrix* plain = nullptr;
  PackedMatrix* transposed = nullptr;

  bool any() const { return plain != nullptr || transposed != nullptr; }
};

/// Rectangular part of a matrix.
struct MatrixBlock {
  int64_t row, rows, column, columns;
};

/// Repacks a block of an f32 matrix b into `forms`, which Pack made of b.
/// Blocks begin at multiples of kPanelColumns and end there or with b.
void PackBlock(const Tensor& b, const MatrixBlock& block,
               const PackedForms& forms);

/// Values of a packed weight b in f32 or bf16, before any transposition.
/// Shapes: [K, N], for a transpose [N, K].
Tensor Unpack(const PackedMatrix& packed, bool transpose);

/// Values of a packed int8 weight b, before any transposition. Shapes: i8 [K,
/// N], for a transpose [N, K].
Tensor UnpackInt8(const PackedMatrix& packed, bool transpose);

/// y[i, :] = column ids[i] of b as f32; not for f64. For int8 it equals
/// GatherRows of the weight whose transpose is b. Shapes: ids i32 of any shape,
/// y ids.shape + [K]. Range: 0 <= id < N.
Tensor GatherColumns(const PackedMatrix& b, const Tensor& ids);

/// Selects columns ids[0], ids[1].. of b, for a vocabulary shortlist. Products
/// are bitwise equal to those with b. Shapes: ids i32. Range: 0 <= id < N.
PackedMatrix SelectColumns(const PackedMatrix& b, const Tensor& ids);

/// View of the columns of panels [first, last); the last panel may extend
/// beyond b. Not for f64.
PackedMatrix SelectPanels(const PackedMatrix& b, int64_t first, int64_t last);

/// Operations on the sums of a product while they are in the cache.
struct Epilogue {
  const Tensor* bias = nullptr;  // [N]
  Activation activation = Activation::kNone;
  bool accumulate = false;
  DropoutKey dropout = {};
  Tensor* sums =
      nullptr;  // receives the sums before f, shaped like c; not for kInt8
};

/// c = Dropout(f(a b + bias)); adds the old c before f if `accumulate`. Shapes:
/// a [..., K], b [K, N], c [..., N]. Rows of a may be apart; c is dense. With b
/// in bf16, a and c may be bf16, see StoreFactor; then rows of c may be apart,
/// and `accumulate` is false.
void Multiply(const Tensor& a, const PackedMatrix& b, const Epilogue& epilogue,
              Tensor& c);
/// Multiplies rows that are quantised once for several kInt8 products; ignores
/// b.left_multipliers.
void Multiply(const QuantizedRows& a, const PackedMatrix& b,
              const Epilogue& epilogue, Tensor& c);

/// Arguments of the gradient of Dropout(scale f(z)).
struct SlopeEpilogue {
  const Tensor& z;  // [..., N], shaped like c
  Activation activation = Activation::kNone;
  double scale = 1;
  DropoutKey dropout = {};
  Tensor* dbias = nullptr;  // [N], the column sums of c are added to it
};

/// c = scale f'(z) Dropout(a b). Shapes and types: see Multiply; not for kInt8.
void MultiplyWithSlope(const Tensor& a, const PackedMatrix& b,
                       const SlopeEpilogue& epilogue, Tensor& c);

/// c (+)= a b.
inline void Multiply(const Tensor& a, const PackedMatrix& b, bool accumulate,
                     Tensor& c) {
  Multiply(a, b, Epilogue{.accumulate = accumulate}, c);
}

/// c (+)= xᵀ y: the gradient of a weight, never int8. Shapes: x [R, K], y [R,
/// N], c [K, N]. Rows of x and y may be apart; c is dense. Both factors may
/// have the type StoredDType.
void MultiplyTransposed(const Tensor& x, const Tensor& y, bool accumulate,
                        Precision precision, Tensor& c);

/// Rows of x and y in a sum over rows.
struct RowPair {
  Tensor x;
  Tensor y;
};
/// c (+)= xᵀ y for x and y given as consecutive `pairs` of rows, [Ri, K] and
/// [Ri, N]; bitwise equal to one call. No copy is made if all Ri but the last
/// are multiples of 64.
void MultiplyTransposed(std::span<const RowPair> pairs, bool accumulate,
                        Precision precision, Tensor& c);

/// Measures the rate of large products over all threads, with factors that are
/// already rounded. Units: operations per second. Takes about `seconds`.
double MeasureProductRate(Precision precision, double seconds);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_GEMM_H_
