// Simpler simple recurrent unit (SSRU) over whole sequences.
#ifndef HEED_OPS_SSRU_H_
#define HEED_OPS_SSRU_H_

#include "heed/autograd/context.h"

namespace heed {

/// Cells of an SSRU, whose outputs are relu(c_t):
///   f_t = σ(g_t + b),  c_t = f_t ⊙ c_{t−1} + (1 − f_t) ⊙ x̃_t.
/// The caller computes x̃ and g for all steps as one product; no product
/// depends on an earlier step. Shapes: x [B, T, 2M] (x̃ and g side by side),
/// bias [M], first [B, M] or undefined (zeros); result [B, T, M]. Throws:
/// ShapeError. Paper: Kim et al. 2019, D19-5632.
Var SsruCells(const Var& x, const Var& bias, const Var& first);

}  // namespace heed

#endif  // HEED_OPS_SSRU_H_
