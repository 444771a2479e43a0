// Differentiable normalisers, from scores to weights.
//
// Scores e are [N, T, S] of f32 or f64 with N = B·H rows n = b·H + h of batch
// and heads; weights have the same shape. Each row of S is independent, so any
// shape [..., S] works unless a mask is involved. A score of −infinity marks a
// masked key: weight 0, gradient 0; a row of −infinity gives zeros. A score of
// +infinity counts as the largest finite number, so that such keys share the
// weight equally; NaN makes its row NaN. Throws: ShapeError for other dtypes
// and for a scalar.
#ifndef HEED_OPS_NORMALIZERS_H_
#define HEED_OPS_NORMALIZERS_H_

#include <cstdint>

#include "heed/autograd/context.h"
#include "heed/kernels/mask_rule.h"

namespace heed {

/// e where the mask allows key s to query t + query_offset of batch row n /
/// heads, else −infinity; without a mask e itself. Shapes: e [B·heads, T, S].
/// Throws: ShapeError.
Var MaskScores(const Var& e, const kernels::MaskRule* mask, int64_t heads,
               int64_t query_offset);

/// exp(e_s) / Σ exp(e).
Var Softmax(const Var& e);

/// σ(e_s) / Σ σ(e).
/// Paper: Chorowski et al. 2015, arXiv:1506.07503, equation 10.
Var SmoothedSigmoid(const Var& e);

/// σ(e_s): independent for each key, weights need not sum to 1; +infinity gives
/// 1.
Var SigmoidGate(const Var& e);

/// Projection of e onto the simplex: max(e_s − τ, 0). Throws: NumericError for
/// +infinity and NaN. Paper: Martins and Astudillo 2016, arXiv:1602.02068.
Var Sparsemax(const Var& e);

/// α-entmax with α = 1.5, between softmax and sparsemax: max(e_s / 2 − τ, 0)².
/// Throws: NumericError for +infinity and NaN. Paper: Peters et al. 2019,
/// arXiv:1905.05702.
Var Entmax15(const Var& e);

/// Softmax over the k largest scores (the first if equal), 0 elsewhere; k above
/// S means all. Throws: ConfigError for k < 1.
Var TopKSoftmax(const Var& e, int64_t k);

/// In training, 1 at the maximum of e + Gumbel noise, which is a sample of
/// softmax(e), with the gradient of softmax((e + noise) / temperature);
/// otherwise softmax(e). Throws: ConfigError unless temperature > 0. Paper:
/// Jang et al. 2016, arXiv:1611.01144 (straight-through).
Var GumbelSoftmax(const Context& ctx, const Var& e, double temperature);

/// Value of `hard` with the gradient passed to `soft` unchanged. Equal shapes.
/// Throws: ShapeError.
Var StraightThrough(const Tensor& hard, const Var& soft);

/// One key per row, sampled from softmax(e).
struct HardSample {
  Var weights;          // [N, T, S]: 1 at the key; a constant
  Var log_probability;  // [N, T]: log softmax(e) of the key
  Var entropy;          // [N, T]: of softmax(e), natural logarithm
};

/// Samples with ctx.rng, in training and otherwise. A fully masked row has
/// weights, log-probability and entropy 0. Paper: Xu et al. 2015,
/// arXiv:1502.03044, section 4.1.
HardSample SampleHard(const Context& ctx, const Var& e);

}  // namespace heed

#endif  // HEED_OPS_NORMALIZERS_H_
