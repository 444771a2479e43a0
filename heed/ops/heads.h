// Differentiable moves between features side by side and heads one after the
// other. Row n = b·H + h of something [N, T, ·] is head h of batch row b.
#ifndef HEED_OPS_HEADS_H_
#define HEED_OPS_HEADS_H_

#include "heed/autograd/context.h"

namespace heed {

/// Every head of x, `repeat` times in a row: row (b·H + h)·repeat + i of the
/// result is head h of batch row b, so that query heads share key heads.
/// Shapes: x [B, T, H·D], result [B·H·repeat, T, D]. Throws: ShapeError.
Var SplitHeads(const Var& x, int64_t heads, int64_t repeat = 1);
/// The opposite. Shapes: x [B·H, T, D], result [B, T, H·D]. Throws: ShapeError.
Var MergeHeads(const Var& x, int64_t heads);

/// One row for the whole batch, such as a learned query. Shapes: row [M],
/// result [batch, 1, M]. Throws: ShapeError.
Var BroadcastRow(const Var& row, int64_t batch);

/// y_h = w_hᵀ x_h of each head's features. Shapes: x [..., H·D], weight [H·D],
/// result [..., H]. Throws: ShapeError.
Var HeadDots(const Var& x, const Var& weight, int64_t heads);

}  // namespace heed

#endif  // HEED_OPS_HEADS_H_
