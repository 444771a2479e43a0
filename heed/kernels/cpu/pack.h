// Packing of operands for blocked products, and these products.
//
// A right operand is packed into panels of 64 columns. A panel is stored row by
// row, with 64 elements each; in bf16 two rows are interleaved. Columns are
// padded with zeros to a multiple of 64, rows to a multiple of 16 (f32) or 32
// (bf16).
#ifndef HEED_KERNELS_CPU_PACK_H_
#define HEED_KERNELS_CPU_PACK_H_

#include <cstdint>

#include "heed/kernels/cpu/attention_bf16.h"

namespace heed::kernels::cpu {

inline constexpr int64_t kPanel = 64;
/// Bytes of a word; a row of a panel has one for each column: one f32, two bf16
/// or four int8.
inline constexpr int64_t kWordBytes = 4;
/// Number of panels of n columns.
constexpr int64_t Panels(int64_t n) { return (n + kPanel - 1) / kPanel; }

/// Number of rows of a packed panel, for k rows.
constexpr int64_t PaddedRows(int64_t k, bool bf16) {
  const int64_t unit = bf16 ? 32 : 16;
  return (k + unit - 1) / unit * unit;
}

/// Number of words (pairs of bf16) in a row of k elements; an odd last element
/// is paired with 0.
constexpr int64_t PairWords(int64_t k) { return (k + 1) / 2; }

/// View of a matrix of k rows and n columns: element (i, j) is data[i * stride
/// + j], or data[j * stride + i] if transposed.
template <typename T>
struct MatrixOf {
  const T* data;
  int64_t k;
  int64_t n;
  int64_t stride;
  bool transposed;
};
using MatrixView = MatrixOf<float>;
/// View of a bf16 matrix.
using MatrixViewBF16 = MatrixOf<uint16_t>;

/// Packs columns [64 panel, 64 panel + 64) of b into `out`, a panel of
/// PaddedRows(rows, ·) rows; rows from b.k to `rows` are zero. Functions that
/// round to bf16 may be called only where HasBF16(). kStream bypasses the
/// caches; `out` is then aligned to cache lines.
enum class Writing : uint8_t { kCached, kStream };
void PackPanel(const MatrixView& b, int64_t panel, int64_t rows, float* out,
               Writing writing = Writing::kCached);
void PackPanelBF16(const MatrixView& b, int64_t panel, int64_t rows,
                   uint16_t* out, Writing writing = Writing::kCached);
/// Packs a panel of a bf16 matrix that is not transposed.
void PackPanelBF16(const MatrixViewBF16& b, int64_t panel, int64_t rows,
                   uint16_t* out, Writing writing = Writing::kCached);

/// out[i, j] = x[j, i] for i in [begin, end) and j < rows; columns of out from
/// x_rows up to `rows` become zero. x [x_rows, ·] with row stride `stride`; out
/// [·, rows] with row stride `out_stride`.
void TransposeRows(const float* x, int64_t x_rows, int64_t stride,
                   int64_t begin, int64_t end, int64_t rows, float* out,
                   int64_t out_stride);
void TransposeRowsBF16(const float* x, int64_t x_rows, int64_t stride,
                       int64_t begin, int64_t end, int64_t rows, uint16_t* out,
                       int64_t out_stride);
void TransposeRowsBF16(const uint16_t* x, int64_t x_rows, int64_t stride,
                       int64_t begin, int64_t end, int64_t rows, uint16_t* out,
                       int64_t out_stride);

/// c [m, n] (+)= a b: a [m, k], b [k, n] in f32 panels. Each element is one sum
/// in the order of k, so results depend neither on other rows and columns nor
/// on the vector width.
void MultiplyPanels(int64_t m, int64_t n, int64_t k, const LeftWords& a,
                    const float* b, bool accumulate, const Floats2D& c);
/// MultiplyPanels for pairs of bf16: a [m, PairWords(k)] and panels of pairs.
void MultiplyPanelsBF16(int64_t m, int64_t n, int64_t k, const LeftWords& a,
                        const float* b, bool accumulate, const Floats2D& c);

/// Number of rows that SumOuterProducts copies and sums at once.
inline constexpr int64_t kOuterBlock = 128;
/// Row stride in words of n copied columns: an odd number of cache lines, so
/// that rows do not share cache sets.
constexpr int64_t OuterRowWords(int64_t n) {
  constexpr int64_t kLine = 16;
  return ((n + kLine - 1) / kLine | 1) * kLine;
}
/// Size of the scratch of SumOuterProducts: kOuterBlock rows of both factors.
constexpr int64_t OuterScratch(int64_t m, int64_t n) {
  return kOuterBlock * (OuterRowWords(m) + n);
}
/// c [m, n] (+)= xᵀ y in f32, with x [k, m] and y [k, n] of whole panels,
/// neither transposed. Each element is one sum in the order of k. Factors are
/// copied block by block, with the next block prefetched. c is read and written
/// once per block and should fit into the cache.
void SumOuterProducts(const MatrixView& x, const MatrixView& y, bool accumulate,
                      float* scratch, const Floats2D& c);

/// out = x rounded to bf16 (nearest, ties to even; subnormal ones become 0).
void RoundBF16(const float* x, int64_t n, uint16_t* out);

}  // namespace heed::kernels::cpu

#endif  // HEED_KERNELS_CPU_PACK_H_
