// The ways in which FusedAttention computes; fused_attention.cc chooses.
#ifndef HEED_KERNELS_CPU_ATTENTION_PATHS_H_
#define HEED_KERNELS_CPU_ATTENTION_PATHS_H_

#include "heed/kernels/fused_attention.h"

namespace heed::kernels {

/// Dot scores of many queries: products of packed blocks.
AttentionResult TiledAttention(const AttentionArgs& args);
Tensor TiledAttentionWeights(const AttentionArgs& args, const Tensor& log_sum);
void TiledAttentionGrad(const AttentionArgs& args,
                        const AttentionResult& result, const Tensor& dcontext,
                        AttentionGrads& grads);

/// All scores, straight from the rows of q, k and v: few queries, or scores
/// that are no product.
AttentionResult DirectAttention(const AttentionArgs& args);
Tensor DirectAttentionWeights(const AttentionArgs& args, const Tensor& log_sum);
void DirectAttentionGrad(const AttentionArgs& args,
                         const AttentionResult& result, const Tensor& dcontext,
                         AttentionGrads& grads);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_CPU_ATTENTION_PATHS_H_
