// Implementations of FusedAttention; fused_attention.cc selects one.
#ifndef HEED_KERNELS_CPU_ATTENTION_PATHS_H_
#define HEED_KERNELS_CPU_ATTENTION_PATHS_H_

#include "heed/kernels/fused_attention.h"

namespace heed::kernels {

/// For dot scores of many queries: products of packed blocks.
AttentionResult TiledAttention(const AttentionArgs& args);
Tensor TiledAttentionWeights(const AttentionArgs& args, const Tensor& log_sum);
void TiledAttentionGrad(const AttentionArgs& args,
                        const AttentionResult& result, const Tensor& dcontext,
                        AttentionGrads& grads);

/// For all scores, directly from the rows of q, k and v; used for few queries
/// and for scores that are not dot products.
AttentionResult DirectAttention(const AttentionArgs& args);
Tensor DirectAttentionWeights(const AttentionArgs& args, const Tensor& log_sum);
void DirectAttentionGrad(const AttentionArgs& args,
                         const AttentionResult& result, const Tensor& dcontext,
                         AttentionGrads& grads);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_CPU_ATTENTION_PATHS_H_
