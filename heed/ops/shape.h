// Differentiable operations that move elements.
#ifndef HEED_OPS_SHAPE_H_
#define HEED_OPS_SHAPE_H_

#include <span>

#include "heed/autograd/context.h"

namespace heed {

/// The same elements in another shape; a copy if rows of x are apart.
Var Reshape(const Var& x, const Shape& shape);
/// Elements [begin, end) of dimension 0.
Var Slice(const Var& x, int64_t begin, int64_t end);
/// Element i of dimension 0, with one dimension less.
Var Select(const Var& x, int64_t i);
/// Columns [begin, end) of the last dimension.
Var Columns(const Var& x, int64_t begin, int64_t end);
/// Columns of all parts, one after the other. Shapes: parts [..., N_i] with
/// equal leading dimensions; result [..., Σ N_i].
Var ConcatColumns(std::span<const Var> parts);
Var ConcatColumns(std::initializer_list<Var> parts);
/// Shapes: parts [...] of one shape; result [number of parts, ...].
Var Stack(std::span<const Var> parts);
/// Shapes: x [A, B, ...], result [B, A, ...]: time first to batch first.
Var TransposeLeading(const Var& x);
/// Row (s, b) becomes row (length_b − 1 − s, b) for s < length_b; the rows
/// behind a sequence's end stay. Shapes: x [S, B, N], lengths i32 [B].
Var ReverseByLength(const Var& x, const Tensor& lengths);

}  // namespace heed

#endif  // HEED_OPS_SHAPE_H_
