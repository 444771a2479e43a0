#include "heed/ops/feed_forward.h"

#include <utility>

#include "heed/kernels/reduce.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/product.h"

namespace heed {
namespace {

using kernels::Activation;

/// DType in which a factor of products with a weight may be stored.
DType StoredDType(const Var& weight, DType dtype) {
  const Parameter* parameter = weight.parameter();
  return parameter == nullptr
             ? dtype
             : kernels::StoredDType(parameter->precision(), dtype);
}

/// Values stored for the gradient of Dropout(scale f(z)).
struct Inner {
  Tensor h;  // the result
  Tensor z;
  Activation activation;
  double scale = 1;
  kernels::DropoutKey dropout;
};

}  // namespace

Var PositionwiseFeedForward(const Context& ctx, const Var& x,
                            const AffineMap& in, Activation f, double rate,
                            const AffineMap& out) {
  CheckAffine("feed forward", x, in.weight, in.bias, /*transposed=*/false);
  const DType dtype = x.value().dtype();
  CheckShapes(out.weight.shape().rank() == 2 &&
                  out.weight.dim(0) == in.weight.dim(1) &&
                  out.bias.shape() == Shape{out.weight.dim(1)},
              "feed forward", "maps that do not fit",
              {in.weight.shape(), out.weight.shape(), out.bias.shape()});
  // Hidden activations, and later their gradient, are a factor of both maps.
  const DType stored = StoredDType(in.weight, dtype);
  const DType inner_dtype =
      stored == StoredDType(out.weight, dtype) ? stored : dtype;
  const auto inner_rows = [&] {
    return kernels::FactorRows(x.value().rows(), in.weight.dim(1), inner_dtype);
  };
  const bool recorded = x.tape() != nullptr || in.weight.tape() != nullptr ||
                        in.bias.tape() != nullptr;
  Inner inner{inner_rows(), {}, f, 1, NextDropout(ctx, rate)};
  kernels::Epilogue epilogue{
      .bias = &in.bias.value(), .activation = f, .dropout = inner.dropout};
  if (f == Activation::kRelu) {
    // For relu, elements above 0 were neither clipped nor dropped.
    inner.z = inner.h;
    inner.scale = 1 / (1 - inner.dropout.rate);
    inner.dropout = {};
  } else if (recorded) {
    inner.z = inner_rows();
    epilogue.sums = &inner.z;
  }
  MultiplyBy(x.value(), Factor(in.weight), false, epilogue, inner.h);
  ctx.CheckCancelled();

  Shape shape = x.shape();
  shape.Set(-1, out.weight.dim(1));
  Tensor y(shape, dtype);
  const Factor out_factor(out.weight);
  MultiplyBy(inner.h, out_factor, false, {.bias = &out.bias.value()}, y);
  return Record("feed forward", std::move(y),
                {x, in.weight, in.bias, out.weight, out.bias},
                [inner, out_factor, grad = ProductGrad(x, in.weight, 0, 1)](
                    const Tensor& dy, Grads& g) {
                  g.AddProduct(3, inner.h, dy);
                  if (g.Needs(4)) kernels::ColumnSumTo(g.Accumulate(4), dy);
                  if (!inner.z.defined()) return;
                  Tensor dz = kernels::FactorRows(
                      inner.z.rows(), inner.z.cols(), inner.z.dtype());
                  kernels::PackedMatrix local;
                  kernels::MultiplyWithSlope(
                      dy, out_factor.Packed(true, local),
                      {.z = inner.z,
                       .activation = inner.activation,
                       .scale = inner.scale,
                       .dropout = inner.dropout,
                       .dbias = g.Needs(2) ? &g.Accumulate(2) : nullptr},
                      dz);
                  grad(dz, g);
                });
}

}  // namespace heed
