// Attention over the memories of a padded batch: scores, softmax, read-out.
//
// `lengths` (i32 [B], or undefined for S everywhere) counts the valid keys of
// each batch row. Keys from there on are never read; their scores, weights and
// gradients are 0. Any argument may have its rows apart. Gradients marked +=
// are added to, all others are set.
//
// Shapes: q [B, T, A], k [B, S, A], values [B, S, D], e and a [B, T, S].
#ifndef HEED_KERNELS_ATTENTION_H_
#define HEED_KERNELS_ATTENTION_H_

#include "heed/kernels/fused_attention.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// e_ts = sum_a w_a tanh(q_ta + k_sa), w [A].
/// Paper: Bahdanau 2014, arXiv 1409.0473, section A.1.2.
Tensor AdditiveScores(const Tensor& q, const Tensor& k, const Tensor& w,
                      const Tensor& lengths);
/// dq, dk, dw +=. Computes the tanh again; stores nothing of size T * S * A.
void AdditiveScoresGrad(const Tensor& de, const Tensor& q, const Tensor& k,
                        const Tensor& w, const Tensor& lengths, Tensor& dq,
                        Tensor& dk, Tensor& dw);

/// e_ts = scale * sum_a q_ta k_sa.
Tensor DotScores(const Tensor& q, const Tensor& k, double scale,
                 const Tensor& lengths);
/// dq, dk +=.
void DotScoresGrad(const Tensor& de, const Tensor& q, const Tensor& k,
                   double scale, const Tensor& lengths, Tensor& dq, Tensor& dk);

/// e_nts = sum_a w_ha phi(q_nta + k_nsa) with h = n modulo H, for phi = tanh
/// (kTanh) or LeakyReLU with slope `value` below 0 (kLeaky).
/// Shapes: q [N, T, A], k [N, S, A], w [H, A], dense, e [N, T, S].
/// Paper: Velickovic 2018, arXiv 1710.10903, for kLeaky.
Tensor PairScores(AttentionArgs::Score kind, double value, const Tensor& q,
                  const Tensor& k, const Tensor& w);
/// dq, dk, dw +=. Computes phi again; stores nothing of size T * S * A.
void PairScoresGrad(AttentionArgs::Score kind, double value, const Tensor& de,
                    const Tensor& q, const Tensor& k, const Tensor& w,
                    Tensor& dq, Tensor& dk, Tensor& dw);

/// a_ts = exp(e_ts) / sum_s exp(e_ts) over the valid keys; all 0 without any.
Tensor MaskedSoftmax(const Tensor& e, const Tensor& lengths);
/// a * (da - sum_s a * da).
Tensor MaskedSoftmaxGrad(const Tensor& da, const Tensor& a);

/// c_td = sum_s a_ts v_sd: [B, T, D].
Tensor WeightedSum(const Tensor& a, const Tensor& values,
                   const Tensor& lengths);
/// da is set, dvalues +=.
void WeightedSumGrad(const Tensor& dc, const Tensor& a, const Tensor& values,
                     const Tensor& lengths, Tensor& da, Tensor& dvalues);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_ATTENTION_H_
