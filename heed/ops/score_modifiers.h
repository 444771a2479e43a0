// Differentiable modifiers of attention scores and weights.
//
// Scores e and weights a are [N, T, S] with N = B·H: row n = b·H + h is head h
// of batch row b. For operands [..., S] and [...] all leading dimensions are
// equal. Throws: ShapeError for incompatible shapes, ConfigError for a number
// out of range.
#ifndef HEED_OPS_SCORE_MODIFIERS_H_
#define HEED_OPS_SCORE_MODIFIERS_H_

#include "heed/autograd/context.h"

namespace heed {

/// log(1 + eˣ).
Var Softplus(const Var& x);
/// x where x > 0, else slope · x.
Var LeakyRelu(const Var& x, double slope);

/// Multiplies each row by its factor. Shapes: x [..., S], factor [...].
Var ScaleRows(const Var& x, const Var& factor);
/// cap · tanh(x / cap). Range: cap > 0.
/// Paper: Riviere et al. 2024 (Gemma 2), arXiv:2408.00118.
Var SoftCap(const Var& x, double cap);

/// e[n, t, s] + bias[b, h, t, s]; dimensions of 1 are broadcast. Shapes: bias
/// [B or 1, H or 1, T or 1, S].
Var AddBias(const Var& e, const Var& bias, int64_t heads);
/// e[n, t, s] + bias[h, s − t + T − 1]: a bias that depends only on the
/// distance. Shapes: bias [H or 1, T + S − 1].
Var AddDistanceBias(const Var& e, const Var& bias, int64_t heads);
/// bias[h, i] = table[buckets[i], h]: a distance bias from a table in which
/// distances share rows. Shapes: table [R, H], buckets i32 [L], result [H, L].
/// Paper: Raffel et al. 2020, arXiv:1910.10683, section 2.1.
Var DistanceTable(const Var& table, const Tensor& buckets);

/// x · exp(−(s − centre)² / (2 sigma²)), for scores or weights. −∞ stays and
/// gets gradient 0, even if the factor underflows to 0. Shapes: x [..., S],
/// centre [...]. Range: sigma > 0. Paper: Luong et al. 2015, arXiv:1508.04025,
/// equation 10.
Var GaussianFactor(const Var& x, const Var& centre, double sigma);

/// x where |s − centre| ≤ width, else −infinity. Shapes: x [N, T, S], centre
/// [N, T], without gradient. Throws: ShapeError.
Var MaskWindow(const Var& x, const Tensor& centre, double width);

/// Rotates the pairs of features (i, i + D/2) of each head by the angle (t +
/// offset) · base^(−2i / D). This is the pairing of GPT-NeoX; the paper pairs
/// (2i, 2i + 1), which differs only in the order of features. Shapes: x [B, T,
/// H·D] with D even. Range: base > 0. Paper: Su et al. 2021, arXiv:2104.09864,
/// section 3.
Var Rotary(const Var& x, int64_t heads, int64_t offset, double base);

/// g a + (1 − g) previous. Shapes: a and previous [..., S], gate [...].
/// Paper: Graves et al. 2014, arXiv:1410.5401, equation 7.
Var Interpolate(const Var& a, const Var& previous, const Var& gate);
/// w(i) = Σ_j a(j) shift(i − j), circular over S, or over the first lengths[b]
/// positions, with 0 after them. Column c of shift is the offset c − R: weight
/// on a column above R moves to higher positions. Shapes: a [..., S] with B·H·T
/// rows, shift [..., 2R + 1], lengths i32 [B]. Paper: Graves et al. 2014,
/// arXiv:1410.5401, equation 8.
Var CircularShift(const Var& a, const Var& shift, const Tensor& lengths = {});
/// a^γ / Σ a^γ. Negative a (from rounding) count as 0. Zeros, and rows of
/// zeros, stay 0 and get gradient 0. Shapes: a [..., S], gamma [...]. Range:
/// gamma ≥ 1. Paper: Graves et al. 2014, arXiv:1410.5401, equation 9.
Var Sharpen(const Var& a, const Var& gamma);

}  // namespace heed

#endif  // HEED_OPS_SCORE_MODIFIERS_H_
