// Differentiable ways from scores to weights.
//
// Everywhere: scores e [N, T, S] of f32 or f64 with N = B·H rows n = b·H + h
// of batch and heads; weights of the same shape, each row of S by itself (so
// that any shape [..., S] works where no mask is involved). A score of
// −infinity stands for a key that may not be looked at: weight 0, gradient 0;
// a row of only such scores gives zeros. A score of +infinity counts as the
// largest finite number, so that such keys share the weight equally; NaN makes
// its row NaN. Throws: ShapeError for other dtypes and for a single number.
#ifndef HEED_OPS_NORMALIZERS_H_
#define HEED_OPS_NORMALIZERS_H_

#include <cstdint>

#include "heed/autograd/context.h"
#include "heed/kernels/mask_rule.h"

namespace heed {

/// e where query t + query_offset of batch row n / heads may look at key s,
/// else −infinity. Without a mask e itself. Shapes: e [B·heads, T, S].
/// Throws: ShapeError.
Var MaskScores(const Var& e, const kernels::MaskRule* mask, int64_t heads,
               int64_t query_offset);

/// exp(e_s) / Σ exp(e).
Var Softmax(const Var& e);

/// σ(e_s) / Σ σ(e).
/// Paper: Chorowski et al. 2015, arXiv:1506.07503, equation 10.
Var SmoothedSigmoid(const Var& e);

/// σ(e_s): each key by itself, weights need not sum to 1; +infinity gives 1.
Var SigmoidGate(const Var& e);

/// The point of the simplex nearest to e: max(e_s − τ, 0).
/// Throws: NumericError for +infinity and NaN.
/// Paper: Martins and Astudillo 2016, arXiv:1602.02068.
Var Sparsemax(const Var& e);

/// α-entmax with α = 1.5, half way from softmax to sparsemax:
/// max(e_s / 2 − τ, 0)². Throws: NumericError for +infinity and NaN.
/// Paper: Peters et al. 2019, arXiv:1905.05702.
Var Entmax15(const Var& e);

/// Softmax over the k largest scores (of equal ones the first), 0 elsewhere.
/// Throws: ConfigError for k < 1; a k above S means all.
Var TopKSoftmax(const Var& e, int64_t k);

/// While training, 1 at the largest of e + Gumbel noise, which is a sample of
/// softmax(e), with the gradient of softmax((e + noise) / temperature);
/// otherwise softmax(e). Throws: ConfigError unless temperature > 0.
/// Paper: Jang et al. 2016, arXiv:1611.01144 (straight-through).
Var GumbelSoftmax(const Context& ctx, const Var& e, double temperature);

/// The value of `hard`; the gradient goes to `soft` as it is.
/// Shapes: equal. Throws: ShapeError.
Var StraightThrough(const Tensor& hard, const Var& soft);

/// One key per row, drawn from softmax(e).
struct HardSample {
  Var weights;          // [N, T, S]: 1 at the key; a constant
  Var log_probability;  // [N, T]: log softmax(e) of the key
  Var entropy;          // [N, T]: of softmax(e), natural logarithm
};

/// Draws with ctx.rng, whether training or not. A row that may look nowhere
/// has weights, log-probability and entropy 0.
/// Paper: Xu et al. 2015, arXiv:1502.03044, section 4.1.
HardSample SampleHard(const Context& ctx, const Var& e);

}  // namespace heed

#endif  // HEED_OPS_NORMALIZERS_H_
