#include "heed/ops/activation.h"

#include <utility>

#include "heed/ops/check.h"
#include "heed/ops/matmul.h"
#include "heed/ops/product.h"

namespace heed {

Var Activate(const Var& x, Activation f) {
  if (f == Activation::kNone) return x;
  Tensor z = x.value().Contiguous();
  Tensor y(z.shape(), z.dtype());
  kernels::Activate(z, {}, f, y);
  return Record("activation", std::move(y), {x},
                [z, f](const Tensor& dy, Grads& g) {
                  Tensor dz(z.shape(), z.dtype());
                  kernels::ActivateGrad(dy, z, f, 1, dz, nullptr);
                  g.Add(0, std::move(dz));
                });
}

Var AffineActivation(const Var& x, const Var& weight, const Var& bias,
                     Activation f) {
  if (f == Activation::kNone) {
    return bias.defined() ? Affine(x, weight, bias) : MatMul(x, weight);
  }
  CheckProduct(x, weight);
  CheckShapes(!bias.defined() || bias.shape() == Shape{weight.dim(1)},
              "affine activation", "a bias that does not fit",
              {weight.shape(), bias.shape()});
  const bool recorded =
      x.tape() != nullptr || weight.tape() != nullptr || bias.tape() != nullptr;
  // The gradient needs the pre-activation, except for kRelu.
  const bool needs_sum = recorded && f != Activation::kRelu;
  Tensor z =
      Product(x, weight, bias.value(), needs_sum ? Activation::kNone : f);
  Tensor y = z;
  if (needs_sum) {
    y = Tensor(z.shape(), z.dtype());
    kernels::Activate(z, {}, f, y);
  }
  return Record(
      "affine activation", std::move(y), {x, weight, bias},
      [z, f, grad = ProductGrad(x, weight, 0, 1)](const Tensor& dy, Grads& g) {
        Tensor dz(z.shape(), z.dtype());
        kernels::ActivateGrad(dy, z, f, 1, dz,
                              g.Needs(2) ? &g.Accumulate(2) : nullptr);
        grad(dz, g);
      });
}

Var GatedActivation(const Var& x, Activation f) {
  if (x.value().cols() % 2 != 0) {
    throw ShapeError("gated activation: an odd number of columns in {}",
                     x.shape().ToString());
  }
  const Tensor dense = x.value().Contiguous();
  return Record("gated activation", kernels::GatedActivate(dense, f), {x},
                [x = dense, f](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::GatedActivateGrad(dy, x, f));
                });
}

}  // namespace heed
