// Differentiable parts of attention: scores and weighted sum, and fused
// attention.
//
// N = B*H throughout: row n = b*H + h is head h of batch row b.
#ifndef HEED_OPS_ATTENTION_H_
#define HEED_OPS_ATTENTION_H_

#include <memory>
#include <span>

#include "heed/autograd/context.h"
#include "heed/kernels/fused_attention.h"
#include "heed/kernels/sparse_attention.h"

namespace heed {

/// e_nts = Σ_a w_ha φ(q_nta + k_nsa) with φ = tanh (kTanh) or LeakyReLU of
/// slope `value` (kLeaky). The gradient recomputes φ instead of storing T·S·A
/// numbers. Shapes: q [N, T, A], k [N, S, A], w [H, A], result [N, T, S].
/// Paper: Bahdanau et al. 2014, arXiv:1409.0473, appendix A.1.2.
Var PairScores(kernels::AttentionArgs::Score kind, double value, const Var& q,
               const Var& k, const Var& w);

/// e_nts = scale · q_ntᵀ k_ns. Shapes: q [N, T, D], k [N, S, D].
Var DotScores(const Var& q, const Var& k, double scale);

/// c_nt = Σ_s a_nts v_ns. Shapes: weights [N, T, S], values [N, S, D].
Var WeightedSum(const Var& weights, const Var& values);

/// Fused attention; see kernels::FusedAttention. `args` has all arguments
/// except tensors, which are in `inputs`: q, k, v, w (undefined for kDot), then
/// x of each modifier (undefined if it has none). `mask` owns args.mask.
/// `log_sum` receives the input of FusedAttentionWeights. f32.
Var FusedAttention(kernels::AttentionArgs& args,
                   std::shared_ptr<const kernels::MaskRule> mask,
                   std::span<const Var> inputs, Tensor& log_sum);

/// Attention over the edges of a graph; see kernels::SparseAttention. `weights`
/// receives [H, E].
Var SparseAttention(kernels::AttentionArgs& args,
                    std::shared_ptr<const kernels::Neighbourhood> graph,
                    std::span<const Var> inputs, Tensor& weights);

}  // namespace heed

#endif  // HEED_OPS_ATTENTION_H_
