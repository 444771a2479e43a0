// Differentiable elementwise operations.
#ifndef HEED_OPS_ELEMENTWISE_H_
#define HEED_OPS_ELEMENTWISE_H_

#include "heed/autograd/context.h"
#include "heed/kernels/dropout.h"

namespace heed {

Var Tanh(const Var& x);
Var Sigmoid(const Var& x);
Var Relu(const Var& x);
/// x where x > 0, else α (exp(x) − 1). Range: α > 0; otherwise the gradient at
/// y <= 0 is wrong. Paper: Clevert et al. 2016, arXiv:1511.07289.
Var Elu(const Var& x, double alpha = 1);
Var Exp(const Var& x);

/// Elementwise sum, difference and product of equal shapes. Throws: ShapeError.
Var Add(const Var& a, const Var& b);
Var Sub(const Var& a, const Var& b);
Var Mul(const Var& a, const Var& b);
Var Scale(const Var& x, double factor);
/// x + number.
Var AddScalar(const Var& x, double number);
/// factor · x for a learned factor. Shapes: factor [1].
Var ScaleBy(const Var& x, const Var& factor);
/// y_bts = q_bt + k_bs. Shapes: q [B, T, N], k [B, S, N], result [B, T, S, N].
Var AddPairs(const Var& q, const Var& k);

/// x + row for each row. Shapes: x [..., N], row [N]. Throws: ShapeError.
Var AddRow(const Var& x, const Var& row);

/// y_j = max(x_2j, x_2j+1). Shapes: x [..., 2N], result [..., N].
/// Throws: ShapeError for an odd number of columns.
/// Paper: Goodfellow et al. 2013, arXiv:1302.4389.
Var Maxout(const Var& x);

/// Key of the next dropout; rate 0 unless training.
kernels::DropoutKey NextDropout(const Context& ctx, double rate);

/// In training, sets elements to zero with probability `rate` and divides the
/// others by 1 − rate; else returns x. Paper: Srivastava et al. 2014.
Var Dropout(const Context& ctx, const Var& x, double rate);

/// Variational dropout: one mask for all steps. Shapes: x [T, ...]. Paper: Gal
/// and Ghahramani 2016, arXiv:1512.05287.
Var StepDropout(const Context& ctx, const Var& x, double rate);
/// Variational dropout with an explicit key, for steps that are computed one at
/// a time. A rate of 0 returns x.
Var StepDropoutWithKey(const Var& x, double rate, uint64_t key);

/// Sum of all elements. Shapes: result [].
Var Sum(const Var& x);

}  // namespace heed

#endif  // HEED_OPS_ELEMENTWISE_H_
