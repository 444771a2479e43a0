// Differentiable pieces of attention over padded memories.
//
// Everywhere: queries [B, T, ·], keys [B, S, ·], scores and weights [B, T, S].
// `lengths` i32 [B] says how many keys of each row are real (undefined: all);
// the others are never read, get weight 0 and gradient 0.
#ifndef HEED_OPS_ATTENTION_H_
#define HEED_OPS_ATTENTION_H_

#include "heed/autograd/context.h"

namespace heed {

/// e_ts = wᵀ tanh(q_t + k_s); nothing of size T·S·A is stored, the gradient
/// recomputes the tanh. Shapes: q [B, T, A], k [B, S, A], w [A].
/// Paper: Bahdanau et al. 2014, arXiv:1409.0473, appendix A.1.2.
Var AdditiveScores(const Var& q, const Var& k, const Var& w,
                   const Tensor& lengths);

/// e_ts = scale · q_tᵀ k_s. Shapes: q [B, T, D], k [B, S, D].
Var DotScores(const Var& q, const Var& k, double scale, const Tensor& lengths);

/// Softmax over the real keys; a row without any gives zeros. Shapes: [B, T,
/// S].
Var MaskedSoftmax(const Var& scores, const Tensor& lengths);

/// c_t = Σ_s a_ts v_s. Shapes: weights [B, T, S], values [B, S, D].
Var WeightedSum(const Var& weights, const Var& values, const Tensor& lengths);

/// x / √(Σ x² + ε) for every row; a zero row stays zero.
Var NormalizeRows(const Var& x, double epsilon);

/// (x − mean) / √(variance + ε) · gain + bias for every row.
/// Shapes: x [..., N], gain and bias [N]. Paper: Ba et al. 2016,
/// arXiv:1607.06450.
Var LayerNorm(const Var& x, const Var& gain, const Var& bias, double epsilon);

}  // namespace heed

#endif  // HEED_OPS_ATTENTION_H_
