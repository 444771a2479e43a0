// Differentiable addressing, writing and reading of a memory of slots.
//
// A memory is [B, F, N]: N slots of F features each, with the slots of a
// feature adjacent.
#ifndef HEED_OPS_MEMORY_H_
#define HEED_OPS_MEMORY_H_

#include "heed/autograd/context.h"
#include "heed/kernels/memory_addressing.h"

namespace heed {

using kernels::AddressSize;

/// Weights of H heads over the slots, from the numbers p of each head, its
/// previous weights w' and the memory:
///   k = tanh(p[0 .. F)), β = softplus(p[F]), g = σ(p[F + 1]),
///   s = softmax(p[F + 2 .. F + 2R + 3)), γ = 1 + softplus(p[F + 2R + 3]),
///   c(i) = softmax_i(β cos(k, M(i))),   m(i) = g c(i) + (1 − g) w'(i),
///   t(i) = Σ_o s(o) m(i − o), o in [−R, R], circular over the slots,
///   w(i) = t(i)^γ / Σ_j t(j)^γ.
/// The cosine with a zero slot is 0. Shapes: numbers [B, H AddressSize(F, R)],
/// previous w' and result [B, H, N], memory [B, F, N]. Throws: ShapeError.
/// Paper: Graves et al. 2014, arXiv:1410.5401, eq. 5 to 9.
Var AddressMemory(const Var& numbers, const Var& previous, const Var& memory);

/// M'(i) = M(i) ⊙ Π_h (1 − w_h(i) e_h) + Σ_h w_h(i) a_h: all heads erase before
/// any adds, so that the order of heads does not matter. Shapes: memory and
/// result [B, F, N], weights [B, H, N], erase e and add a [B, H F]. Range: 0 ≤
/// e ≤ 1. Throws: ShapeError. Paper: Graves et al. 2014, arXiv:1410.5401, eq. 3
/// and 4.
Var WriteMemory(const Var& memory, const Var& weights, const Var& erase,
                const Var& add);

/// r_h = Σ_i w_h(i) M(i). Shapes: memory [B, F, N], weights [B, H, N], result
/// [B, H F], head by head. Throws: ShapeError. Paper: Graves et al. 2014,
/// arXiv:1410.5401, eq. 2.
Var ReadMemory(const Var& memory, const Var& weights);

}  // namespace heed

#endif  // HEED_OPS_MEMORY_H_
