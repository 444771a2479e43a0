#include "heed/kernels/sparse_attention.h"

#include <utility>

#include "heed/kernels/sparse.h"

namespace heed::kernels {

Neighbourhood MakeNeighbourhood(const Tensor& offsets, const Tensor& keys,
                                int64_t key_count) {
  SparsePattern edges = MakeSparsePattern(offsets, keys, key_count);
  return {edges.rows,
          edges.cols,
          std::move(edges.offsets),
          std::move(edges.columns),
          std::move(edges.rows_of_entries),
          std::move(edges.transposed_offsets),
          std::move(edges.transposed_entries)};
}

}  // namespace heed::kernels
