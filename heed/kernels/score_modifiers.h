// Modifiers of attention scores and weights as separate steps: the reference
// path of what fused_attention.h does while scores are in the cache.
//
// f32 and f64. Row n = b H + h of scores [N, T, S] is head h of batch row b.
// Rows of inputs may be apart, except those of numbers per row [..., T] and of
// dy. A gradient kernel takes dy, the gradient of the result, first.
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
/// sum_s x[r, s] y[r, s]; where x is 0, y counts nothing even if infinite.
/// Shapes: x and y [..., S], result [...].
Tensor RowDots(const Tensor& x, const Tensor& y);

/// e[n, t, s] + bias[b, h, t, s]; a dimension of 1 serves all indices. Shapes:
/// bias [B or 1, H or 1, T or 1, S].
Tensor AddBias(const Tensor& e, const Tensor& bias, int64_t heads);
/// dbias += the dy that an element of bias was added to.
void AddBiasGradTo(Tensor& dbias, const Tensor& dy, int64_t heads);

/// e[n, t, s] + bias[h, s - t + T - 1]. Shapes: bias [H or 1, T + S - 1].
Tensor AddDistanceBias(const Tensor& e, const Tensor& bias, int64_t heads);
void AddDistanceBiasGradTo(Tensor& dbias, const Tensor& dy, int64_t heads);

/// x[r, s] exp(-(s - centre[r])^2 / (2 sigma^2)); -infinity stays.
/// Shapes: x [..., S], centre [...].
Tensor GaussianFactor(const Tensor& x, const Tensor& centre, double sigma);
/// The gradients of x and centre, 0 from where x is -infinity; dcentre is
/// replaced.
Tensor GaussianFactorGrad(const Tensor& dy, const Tensor& x,
                          const Tensor& centre, double sigma, Tensor& dcentre);

/// -infinity where |s - centre[r]| > width. Its gradient is MaskScoresGrad of
/// normalizers.h. Shapes: x [..., S], centre [...].
Tensor MaskWindow(const Tensor& x, const Tensor& centre, double width);

/// y[r, i] = sum_o shift[r, o + R] a[r, (i - o) mod N] for o in [-R, R], or the
/// other way around, (i + o) mod N; y[r, i] = 0 for i >= N. N is S, or the
/// length of r's group if there are `lengths` (i32 of G equal groups of rows,
/// each at most S). Shapes: a [..., S], shift [..., 2R+1].
Tensor CircularShift(const Tensor& a, const Tensor& shift,
                     const Tensor& lengths, bool back);
/// dshift[r, o + R] = sum_i dy[r, i] a[r, (i - o) mod N]. Shapes: dshift as
/// `like` [..., 2R+1].
Tensor CircularShiftGrad(const Tensor& dy, const Tensor& a,
                         const Tensor& lengths, const Shape& like);

/// a^gamma / sum a^gamma of each row, negative a as 0; rows without a positive
/// one give 0. Shapes: a [..., S], gamma [...].
Tensor Sharpen(const Tensor& a, const Tensor& gamma);
/// The gradients of a and gamma, 0 from where a <= 0; dgamma is replaced.
Tensor SharpenGrad(const Tensor& dy, const Tensor& y, const Tensor& a,
                   const Tensor& gamma, Tensor& dgamma);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_SCORE_MODIFIERS_H_
