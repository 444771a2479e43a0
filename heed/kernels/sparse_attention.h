// Attention in which each query has its own list of keys, as in a graph.
//
// Shapes: see fused_attention.h, with B = 1. f32 and f64.
#ifndef HEED_KERNELS_SPARSE_ATTENTION_H_
#define HEED_KERNELS_SPARSE_ATTENTION_H_

#include "heed/kernels/fused_attention.h"

namespace heed::kernels {

/// Edges in compressed rows: query t attends to keys[i] for i in [offsets[t],
/// offsets[t + 1]). `transposed_edges` lists the edges of each key, so that
/// gradients of keys are summed in a fixed order.
struct Neighbourhood {
  int64_t queries = 0;
  int64_t key_count = 0;
  Tensor offsets;             // i32 [T + 1]
  Tensor keys;                // i32 [E]
  Tensor queries_of_edges;    // i32 [E]
  Tensor transposed_offsets;  // i32 [S + 1]
  Tensor transposed_edges;    // i32 [E]
};

/// Derives all members from offsets and keys. Keys of a query are ascending and
/// unique.
Neighbourhood MakeNeighbourhood(const Tensor& offsets, const Tensor& keys,
                                int64_t key_count);

/// c_t = sum over the edges of t of softmax(e) v; 0 without edges. args.mask
/// and args.precision are ignored; modifiers must be empty; an undefined w
/// means ones; dropout applies to element (h, edge) of [H, E]. `weights` [H, E]
/// receives the weights before dropout. Memory: H * E. Paper: Velickovic 2018,
/// arXiv 1710.10903, for kLeaky with A = 1.
Tensor SparseAttention(const AttentionArgs& args, const Neighbourhood& graph,
                       Tensor& weights);

/// Adds to the defined gradients (grads.modifiers is not used).
void SparseAttentionGrad(const AttentionArgs& args, const Neighbourhood& graph,
                         const Tensor& weights, const Tensor& dcontext,
                         AttentionGrads& grads);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_SPARSE_ATTENTION_H_
