// Products with a weight: its packed forms, the product and its gradient.
#ifndef HEED_OPS_PRODUCT_H_
#define HEED_OPS_PRODUCT_H_

#include <string_view>

#include "heed/autograd/tape.h"
#include "heed/kernels/gemm.h"

namespace heed {

/// A matrix operand [K, N] as operations keep it for their gradients. If it is
/// a parameter its packed form is shared, else it is packed at each use.
class Factor {
 public:
  Factor() = default;
  explicit Factor(const Var& weight)
      : value_(weight.value()), parameter_(weight.parameter()) {}

  bool defined() const { return value_.defined(); }

  /// The packed matrix or its transpose. `local` holds it if it is not shared.
  const kernels::PackedMatrix& Packed(bool transpose,
                                      kernels::PackedMatrix& local) const {
    if (parameter_ != nullptr) return parameter_->Packed(transpose);
    kernels::Pack(value_, transpose, kernels::Precision::kNative, local);
    return local;
  }

 private:
  Tensor value_;
  const Parameter* parameter_ = nullptr;
};

/// c = x W, or x Wᵀ, and what the epilogue says.
void MultiplyBy(const Tensor& x, const Factor& weight, bool transpose,
                const kernels::Epilogue& epilogue, Tensor& c);

/// What a weight is multiplied with: f32 also by bytes.
DType FactorDType(const Var& weight);

/// Throws ShapeError unless x [..., K] and weight [K, N], transposed [N, K],
/// fit.
void CheckProduct(const Var& x, const Var& weight, bool transposed = false);
/// The same, and bias [N] of `op`.
void CheckAffine(std::string_view op, const Var& x, const Var& weight,
                 const Var& bias, bool transposed);

/// Dropout(f(x W + bias)) of operands that fit; `bias` may be undefined.
Tensor Product(const Var& x, const Var& weight, const Tensor& bias = {},
               kernels::Activation f = kernels::Activation::kNone,
               const kernels::DropoutKey& dropout = {});

/// Adds the gradients of x W with respect to x (input `ix` of the operation)
/// and W (input `iw`).
class ProductGrad {
 public:
  ProductGrad(const Var& x, const Var& weight, int ix, int iw)
      : x_(x.value()), weight_(weight), ix_(ix), iw_(iw) {}
  void operator()(const Tensor& dy, Grads& grads) const;

 private:
  Tensor x_;
  Factor weight_;
  int ix_;
  int iw_;
};

}  // namespace heed

#endif  // HEED_OPS_PRODUCT_H_
