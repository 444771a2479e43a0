#include "heed/ops/product.h"

#include <string_view>

#include "heed/ops/check.h"

namespace heed {

void MultiplyBy(const Tensor& x, const Factor& weight, bool transpose,
                const kernels::Epilogue& epilogue, Tensor& c) {
  kernels::PackedMatrix local;
  kernels::Multiply(x, weight.Packed(transpose, local), epilogue, c);
}

DType FactorDType(const Var& weight) {
  const Parameter* parameter = weight.parameter();
  return parameter != nullptr ? parameter->dtype() : weight.value().dtype();
}

void CheckProduct(const Var& x, const Var& weight, bool transposed) {
  const bool fits = x.shape().rank() >= 1 && weight.shape().rank() == 2 &&
                    x.dim(-1) == weight.dim(transposed ? 1 : 0);
  const std::string_view name =
      weight.parameter() != nullptr
          ? std::string_view(weight.parameter()->name())
          : "matmul";
  CheckShapes(fits, name, "factors that do not fit",
              {x.shape(), weight.shape()});
  const DType dtype = FactorDType(weight);
  if (x.value().dtype() != dtype) {
    throw ShapeError("{}: {} with {}", name, Name(x.value().dtype()),
                     Name(dtype));
  }
}

void CheckAffine(std::string_view op, const Var& x, const Var& weight,
                 const Var& bias, bool transposed) {
  CheckProduct(x, weight, transposed);
  CheckShapes(bias.shape() == Shape{weight.dim(transposed ? 0 : 1)}, op,
              "a bias that does not fit", {weight.shape(), bias.shape()});
  CheckDTypes(op, x, bias);
}

Tensor Product(const Var& x, const Var& weight, const Tensor& bias,
               kernels::Activation f, const kernels::DropoutKey& dropout) {
  Shape shape = x.shape();
  shape.Set(-1, weight.dim(1));
  Tensor y(shape, x.value().dtype());
  kernels::Epilogue epilogue;
  if (bias.defined()) epilogue.bias = &bias;
  epilogue.activation = f;
  epilogue.dropout = dropout;
  MultiplyBy(x.value(), Factor(weight), false, epilogue, y);
  return y;
}

void ProductGrad::operator()(const Tensor& dy, Grads& grads) const {
  if (grads.Needs(ix_)) {
    Tensor dx(x_.shape(), x_.dtype());
    MultiplyBy(dy, weight_, true, {}, dx);
    grads.Add(ix_, std::move(dx));
  }
  grads.AddProduct(iw_, x_, dy);
}

}  // namespace heed
