// Differentiable splitting and merging of heads. Row n = b·H + h of a tensor
// [N, T, ·] is head h of batch row b.
#ifndef HEED_OPS_HEADS_H_
#define HEED_OPS_HEADS_H_

#include "heed/autograd/context.h"

namespace heed {

/// Splits x into heads and repeats each `repeat` times: row (b·H + h)·repeat +
/// i of the result is head h of batch row b, so that query heads share key
/// heads. Shapes: x [B, T, H·D], result [B·H·repeat, T, D]. Throws: ShapeError.
Var SplitHeads(const Var& x, int64_t heads, int64_t repeat = 1);
/// Inverse of SplitHeads. Shapes: x [B·H, T, D], result [B, T, H·D]. Throws:
/// ShapeError.
Var MergeHeads(const Var& x, int64_t heads);

/// Repeats one row, such as a learned query, for the whole batch. Shapes: row
/// [M], result [batch, 1, M]. Throws: ShapeError.
Var BroadcastRow(const Var& row, int64_t batch);

/// y_h = w_hᵀ x_h for the features of each head. Shapes: x [..., H·D], weight
/// [H·D], result [..., H]. Throws: ShapeError.
Var HeadDots(const Var& x, const Var& weight, int64_t heads);

}  // namespace heed

#endif  // HEED_OPS_HEADS_H_
