// Elementwise functions, and kernels that move elements.
//
// Floating-point kernels take f32 and f64; operands share one dtype. The first
// argument of a gradient kernel is dy, the gradient of the result.
#ifndef HEED_KERNELS_ELEMENTWISE_H_
#define HEED_KERNELS_ELEMENTWISE_H_

#include <cstdint>
#include <span>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

Tensor Tanh(const Tensor& x);
/// dy (1 - y^2).
Tensor TanhGrad(const Tensor& dy, const Tensor& y);
/// 1 / (1 + exp(-x)).
Tensor Sigmoid(const Tensor& x);
/// dy y (1 - y).
Tensor SigmoidGrad(const Tensor& dy, const Tensor& y);
/// max(x, 0).
Tensor Relu(const Tensor& x);
/// dy where y > 0, else 0.
Tensor ReluGrad(const Tensor& dy, const Tensor& y);
/// x where x > 0, else alpha (exp(x) - 1).
Tensor Elu(const Tensor& x, double alpha);
/// dy where y > 0, else dy (y + alpha).
Tensor EluGrad(const Tensor& dy, const Tensor& y, double alpha);
Tensor Exp(const Tensor& x);
/// dy y.
Tensor ExpGrad(const Tensor& dy, const Tensor& y);
/// Natural logarithm.
Tensor Log(const Tensor& x);
/// dy / x.
Tensor LogGrad(const Tensor& dy, const Tensor& x);

/// a + b, a - b, a * b of equal shapes.
Tensor Add(const Tensor& a, const Tensor& b);
Tensor Sub(const Tensor& a, const Tensor& b);
Tensor Mul(const Tensor& a, const Tensor& b);
/// s x.
Tensor Scale(const Tensor& x, double s);
/// x + s.
Tensor AddScalar(const Tensor& x, double s);
/// y += scale x. Rows of both may be apart.
void AddTo(Tensor& y, const Tensor& x, double scale = 1);
/// x[r, :] + row. Shapes: x [R, C], row [C].
Tensor AddRow(const Tensor& x, const Tensor& row);
/// y[r, :] += row. Shapes: y [R, C], rows may be apart, row [C].
void AddRowTo(Tensor& y, const Tensor& row);

/// y[r, j] = max(x[r, 2j], x[r, 2j+1]). Shapes: x [R, 2N], y [R, N].
/// Paper: Goodfellow 2013, 1302.4389.
Tensor Maxout(const Tensor& x);
/// Gradient of Maxout: dy goes to the larger of the two, in a tie to the first.
Tensor MaxoutGrad(const Tensor& dy, const Tensor& x);

/// Concatenates the columns of all parts. Shapes: [.., C1], [.., C2], .. to
/// [.., C1 + C2 + ..]. Any dtype; rows of the parts may be apart.
Tensor ConcatColumns(std::span<const Tensor> parts);
/// y[b, a, :] = x[a, b, :]. Shapes: x [A, B, ..] (rank 2 or more), y [B, A,
/// ..]. Any dtype.
Tensor TransposeLeading(const Tensor& x);
/// y[s, b] = x[lengths[b] - 1 - s, b] for s < lengths[b], else x[s, b].
/// Shapes: x [S, B, ..] of any dtype, lengths i32 [B]. Range: 0 <= length <= S.
Tensor ReverseByLength(const Tensor& x, const Tensor& lengths);

/// Rounds to nearest, ties to even; NaN stays NaN. Equal shapes. Rows of f32
/// may be apart.
void ToBF16(const Tensor& f32, Tensor& bf16);
/// Converts exactly. Rows of bf16 may be apart.
void FromBF16(const Tensor& bf16, Tensor& f32);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_ELEMENTWISE_H_
