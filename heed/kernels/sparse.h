// Sparse matrices in compressed rows (CSR), and their products with dense ones.
#ifndef HEED_KERNELS_SPARSE_H_
#define HEED_KERNELS_SPARSE_H_

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Positions of the entries of a sparse matrix: row r has entries [offsets[r],
/// offsets[r + 1]), and entry e is in column columns[e]. Columns of a row may
/// be in any order; duplicates add up. `transposed_entries` lists the entries
/// of each column, so that gradients are summed in a fixed order.
struct SparsePattern {
  int64_t rows = 0;
  int64_t cols = 0;
  Tensor offsets;             // i32 [rows + 1]
  Tensor columns;             // i32 [E]
  Tensor rows_of_entries;     // i32 [E]
  Tensor transposed_offsets;  // i32 [cols + 1]
  Tensor transposed_entries;  // i32 [E]

  int64_t entries() const { return columns.numel(); }
};

/// Derives all members from offsets and columns. Range: 0 <= column < cols.
SparsePattern MakeSparsePattern(const Tensor& offsets, const Tensor& columns,
                                int64_t cols);

/// y[r, c] = sum over the entries e of row r of values[g, e] w[columns[e], c],
/// where column c belongs to group g = c / (M / G). Shapes: values [G, E], G a
/// divisor of M, undefined: ones; w [cols, M], y [rows, M]. f32 and f64.
Tensor SparseMultiply(const SparsePattern& pattern, const Tensor& values,
                      const Tensor& w);

/// dw[j, c] += sum over the entries e of column j, in order, of values[g, e]
/// dy[row of e, c]. Shapes: see SparseMultiply. Rows of dw without entries are
/// not touched.
void SparseMultiplyTransposedTo(Tensor& dw, const SparsePattern& pattern,
                                const Tensor& values, const Tensor& dy);

/// dvalues[g, e] = sum over the columns c of group g of w[columns[e], c]
/// dy[row of e, c]. Shapes: result [groups, E].
Tensor SparseValuesGrad(const SparsePattern& pattern, int64_t groups,
                        const Tensor& w, const Tensor& dy);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_SPARSE_H_
