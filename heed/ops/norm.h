// Differentiable normalisation of rows.
#ifndef HEED_OPS_NORM_H_
#define HEED_OPS_NORM_H_

#include "heed/autograd/tape.h"

namespace heed {

/// x / √(Σ x² + ε) for each row; a zero row stays zero.
Var NormalizeRows(const Var& x, double epsilon);

/// (x − mean) / √(variance + ε) · gain + bias for each row. Shapes: x [..., N],
/// gain and bias [N]. Paper: Ba et al. 2016, arXiv:1607.06450.
Var LayerNorm(const Var& x, const Var& gain, const Var& bias, double epsilon);

}  // namespace heed

#endif  // HEED_OPS_NORM_H_
