// Differentiable operations that move elements.
#ifndef HEED_OPS_SHAPE_H_
#define HEED_OPS_SHAPE_H_

#include <span>

#include "heed/autograd/context.h"

namespace heed {

/// x with another shape; a copy if rows of x are apart.
Var Reshape(const Var& x, const Shape& shape);
/// Elements [begin, end) of dimension 0.
Var Slice(const Var& x, int64_t begin, int64_t end);
/// Element i of dimension 0, with one dimension less.
Var Select(const Var& x, int64_t i);
/// Columns [begin, end) of the last dimension.
Var Columns(const Var& x, int64_t begin, int64_t end);
/// Concatenates the columns of all parts. Shapes: parts [..., N_i] with equal
/// leading dimensions; result [..., Σ N_i]. Throws: ShapeError.
Var ConcatColumns(std::span<const Var> parts);
Var ConcatColumns(std::initializer_list<Var> parts);
/// Stacks parts of equal shape. Shapes: parts [...]; result [number of parts,
/// ...].
Var Stack(std::span<const Var> parts);
/// Swaps the first two dimensions, such as time and batch. Shapes: x [A, B,
/// ...], result [B, A, ...].
Var TransposeLeading(const Var& x);
/// Reverses each sequence: row (s, b) becomes row (length_b − 1 − s, b) for s <
/// length_b; padding stays. Shapes: x [S, B, N], lengths i32 [B].
Var ReverseByLength(const Var& x, const Tensor& lengths);

}  // namespace heed

#endif  // HEED_OPS_SHAPE_H_
