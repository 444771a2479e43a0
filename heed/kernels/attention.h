// Single steps of attention: scores, softmax, weighted sum. Attention without a
// fused kernel is composed of these.
//
// Row n = b * H + h of N = B * H is head h of batch row b. Any argument may
// have its rows apart. Gradients marked += are added to, all others are set.
//
// Shapes: q [N, T, A], k [N, S, A], values [N, S, D], e and a [N, T, S].
#ifndef HEED_KERNELS_ATTENTION_H_
#define HEED_KERNELS_ATTENTION_H_

#include "heed/kernels/fused_attention.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// e_ts = scale * sum_a q_ta k_sa.
Tensor DotScores(const Tensor& q, const Tensor& k, double scale);
/// Adds to dq and dk.
void DotScoresGrad(const Tensor& de, const Tensor& q, const Tensor& k,
                   double scale, Tensor& dq, Tensor& dk);

/// e_nts = sum_a w_ha phi(q_nta + k_nsa) with h = n modulo H, for phi = tanh
/// (kTanh) or LeakyReLU with slope `value` below 0 (kLeaky). Shapes: w [H, A],
/// dense. Papers: Bahdanau 2014, arXiv 1409.0473, section A.1.2; Velickovic
/// 2018, arXiv 1710.10903, for kLeaky.
Tensor PairScores(AttentionArgs::Score kind, double value, const Tensor& q,
                  const Tensor& k, const Tensor& w);
/// Adds to dq, dk and dw. Recomputes phi instead of storing T * S * A numbers.
void PairScoresGrad(AttentionArgs::Score kind, double value, const Tensor& de,
                    const Tensor& q, const Tensor& k, const Tensor& w,
                    Tensor& dq, Tensor& dk, Tensor& dw);

/// exp(e) / sum exp(e) of each row; zeros if all scores are -infinity.
Tensor RowSoftmax(const Tensor& e);
/// a * (da - sum a * da) of each row.
Tensor RowSoftmaxGrad(const Tensor& da, const Tensor& a);

/// c_td = sum_s a_ts v_sd: [N, T, D].
Tensor WeightedSum(const Tensor& a, const Tensor& values);
/// Sets da, adds to dvalues.
void WeightedSumGrad(const Tensor& dc, const Tensor& a, const Tensor& values,
                     Tensor& da, Tensor& dvalues);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_ATTENTION_H_
