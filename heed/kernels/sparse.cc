#include "heed/kernels/sparse.h"

#include <cassert>

namespace heed::kernels {

SparsePattern MakeSparsePattern(const Tensor& offsets, const Tensor& columns,
                                int64_t cols) {
  assert(offsets.numel() > 0);
  const int64_t rows = offsets.numel() - 1;
  const int64_t entries = columns.numel();
  SparsePattern pattern{
      rows,
      cols,
      offsets,
      columns,
      Tensor({entries}, DType::kI32),
      Tensor::Zeros({cols + 1}, DType::kI32),
      Tensor({entries}, DType::kI32),
  };
  const auto* first = offsets.data<int32_t>();
  const auto* column = columns.data<int32_t>();
  assert(first[rows] == entries);
  auto* row = pattern.rows_of_entries.data<int32_t>();
  auto* end = pattern.transposed_offsets.data<int32_t>();
  auto* transposed = pattern.transposed_entries.data<int32_t>();
  for (int64_t r = 0; r < rows; ++r) {
    for (int32_t e = first[r]; e < first[r + 1]; ++e) {
      row[e] = static_cast<int32_t>(r);
    }
  }
  // Counting sort: counts, prefix sums, then entries from last to first, which
  // turns the end of each column's list into its beginning.
  for (int64_t e = 0; e < entries; ++e) ++end[column[e]];
  for (int64_t c = 0; c < cols; ++c) end[c + 1] += end[c];
  for (int64_t e = entries - 1; e >= 0; --e) {
    transposed[--end[column[e]]] = static_cast<int32_t>(e);
  }
  return pattern;
}

}  // namespace heed::kernels
