// Modifiers of attention scores and weights as separate steps: the reference
// for the fused kernels of fused_attention.h.
//
// f32 and f64. Row n = b H + h of scores [N, T, S] is head h of batch row b.
// Rows of inputs may be apart, except those of numbers per row [..., T] and of
// dy. The first argument of a gradient kernel is dy, the gradient of the
// result.
#ifndef HEED_KERNELS_SCORE_MODIFIERS_H_
#define HEED_KERNELS_SCORE_MODIFIERS_H_

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// x where x > 0, else slope x.
Tensor LeakyRelu(const Tensor& x, double slope);
/// dy where x > 0, else slope dy.
Tensor LeakyReluGrad(const Tensor& dy, const Tensor& x, double slope);
/// log(1 + exp(x)).
Tensor Softplus(const Tensor& x);

/// factor[r] x[r, s]. Shapes: x [..., S], factor [...].
Tensor ScaleRows(const Tensor& x, const Tensor& factor);
/// sum_s x[r, s] y[r, s]; where x is 0, y is ignored even if infinite. Shapes:
/// x and y [..., S], result [...].
Tensor RowDots(const Tensor& x, const Tensor& y);

/// e[n, t, s] + bias[b, h, t, s]; dimensions of 1 are broadcast. Shapes: bias
/// [B or 1, H or 1, T or 1, S].
Tensor AddBias(const Tensor& e, const Tensor& bias, int64_t heads);
/// Gradient of AddBias: adds to each element of dbias the dy of all its uses.
void AddBiasGradTo(Tensor& dbias, const Tensor& dy, int64_t heads);

/// e[n, t, s] + bias[h, s - t + T - 1]. Shapes: bias [H or 1, T + S - 1].
Tensor AddDistanceBias(const Tensor& e, const Tensor& bias, int64_t heads);
void AddDistanceBiasGradTo(Tensor& dbias, const Tensor& dy, int64_t heads);

/// x[r, s] exp(-(s - centre[r])^2 / (2 sigma^2)); -infinity stays.
/// Shapes: x [..., S], centre [...].
Tensor GaussianFactor(const Tensor& x, const Tensor& centre, double sigma);
/// Gradients of x and centre, 0 where x is -infinity; sets dcentre.
Tensor GaussianFactorGrad(const Tensor& dy, const Tensor& x,
                          const Tensor& centre, double sigma, Tensor& dcentre);

/// -infinity where |s - centre[r]| > width. Its gradient is MaskScoresGrad of
/// normalizers.h. Shapes: x [..., S], centre [...].
Tensor MaskWindow(const Tensor& x, const Tensor& centre, double width);

/// y[r, i] = sum_o shift[r, o + R] a[r, (i - o) mod N] for o in [-R, R], or
/// with (i + o) mod N if `back`; y[r, i] = 0 for i >= N. N is S, or the length
/// of r's group if there are `lengths` (i32 of G equal groups of rows, each at
/// most S). Shapes: a [..., S], shift [..., 2R+1].
Tensor CircularShift(const Tensor& a, const Tensor& shift,
                     const Tensor& lengths, bool back);
/// dshift[r, o + R] = sum_i dy[r, i] a[r, (i - o) mod N]. Shapes: dshift has
/// the shape `like` [..., 2R+1].
Tensor CircularShiftGrad(const Tensor& dy, const Tensor& a,
                         const Tensor& lengths, const Shape& like);

/// a^gamma / sum a^gamma of each row, with negative a taken as 0; rows without
/// a positive element give 0. Shapes: a [..., S], gamma [...].
Tensor Sharpen(const Tensor& a, const Tensor& gamma);
/// Gradients of a and gamma, 0 where a <= 0; sets dgamma.
Tensor SharpenGrad(const Tensor& dy, const Tensor& y, const Tensor& a,
                   const Tensor& gamma, Tensor& dgamma);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_SCORE_MODIFIERS_H_
