// Differentiable residual sums and embeddings with positions, each fused.
#ifndef HEED_OPS_RESIDUAL_H_
#define HEED_OPS_RESIDUAL_H_

#include "heed/autograd/context.h"

namespace heed {

/// x + Dropout(y). Equal shapes. Throws: ShapeError.
Var AddDropped(const Context& ctx, const Var& x, const Var& y, double dropout);

struct AddNormResult {
  Var sum;     // x + Dropout(y)
  Var normed;  // LayerNorm(sum)
};

/// Residual sum and its normalisation. The next residual starts from `sum` in
/// pre-norm layers and from `normed` in post-norm layers. Shapes: x and y [...,
/// N], gain and bias [N]. Throws: ShapeError.
AddNormResult AddNorm(const Context& ctx, const Var& x, const Var& y,
                      double dropout, const Var& gain, const Var& bias,
                      double epsilon);

/// Dropout(scale · table[ids] + positions[offset + t]) for column t of `ids`.
/// Shapes: table [V, M], ids i32 [B, T], positions [P, M] (constant) or
/// undefined, result [B, T, M]. Id -1 stands for a row of zeros. Throws:
/// ShapeError if another id or a position is out of range.
Var EmbedScaled(const Context& ctx, const Var& table, const Tensor& ids,
                double scale, const Tensor& positions, int64_t offset,
                double dropout);

}  // namespace heed

#endif  // HEED_OPS_RESIDUAL_H_
