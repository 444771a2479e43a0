#include "heed/kernels/sparse_attention.h"

#include <cassert>

namespace heed::kernels {

Neighbourhood MakeNeighbourhood(const Tensor& offsets, const Tensor& keys,
                                int64_t key_count) {
  assert(offsets.numel() > 0);
  const int64_t queries = offsets.numel() - 1;
  const int64_t edges = keys.numel();
  Neighbourhood graph{
      queries,
      key_count,
      offsets,
      keys,
      Tensor({edges}, DType::kI32),
      Tensor::Zeros({key_count + 1}, DType::kI32),
      Tensor({edges}, DType::kI32),
  };
  const auto* first = offsets.data<int32_t>();
  const auto* key = keys.data<int32_t>();
  assert(first[queries] == edges);
  auto* query = graph.queries_of_edges.data<int32_t>();
  auto* end = graph.transposed_offsets.data<int32_t>();
  auto* transposed = graph.transposed_edges.data<int32_t>();
  for (int64_t t = 0; t < queries; ++t) {
    for (int32_t i = first[t]; i < first[t + 1]; ++i) {
      query[i] = static_cast<int32_t>(t);
    }
  }
  // Counts, their sums, and from the last edge to the first each into place:
  // what began as the end of a key's list is then its begin.
  for (int64_t i = 0; i < edges; ++i) ++end[key[i]];
  for (int64_t s = 0; s < key_count; ++s) end[s + 1] += end[s];
  for (int64_t i = edges - 1; i >= 0; --i) {
    transposed[--end[key[i]]] = static_cast<int32_t>(i);
  }
  return graph;
}

}  // namespace heed::kernels
