// Products with a weight: packed forms, product and gradient.
#ifndef HEED_OPS_PRODUCT_H_
#define HEED_OPS_PRODUCT_H_

#include <string_view>

#include "heed/autograd/tape.h"
#include "heed/kernels/gemm.h"

namespace heed {

/// Matrix operand [K, N] stored for a gradient. A parameter shares its packed
/// form; other matrices are packed at each use.
class Factor {
 public:
  Factor() = default;
  explicit Factor(const Var& weight)
      : value_(weight.value()), parameter_(weight.parameter()) {}

  bool defined() const { return value_.defined(); }

  /// The packed matrix or its transpose. `local` holds it unless it is shared.
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

/// c = epilogue(x W), or of x Wᵀ.
void MultiplyBy(const Tensor& x, const Factor& weight, bool transpose,
                const kernels::Epilogue& epilogue, Tensor& c);

/// DType of the other factor of products with a weight: f32 for int8 weights.
DType FactorDType(const Var& weight);

/// Throws ShapeError unless x [..., K] and weight [K, N], transposed [N, K],
/// are compatible.
void CheckProduct(const Var& x, const Var& weight, bool transposed = false);
/// Throws ShapeError, naming `op`, unless x, weight and bias [N] are
/// compatible.
void CheckAffine(std::string_view op, const Var& x, const Var& weight,
                 const Var& bias, bool transposed);

/// Dropout(f(x W + bias)) of checked operands; `bias` may be undefined.
Tensor Product(const Var& x, const Var& weight, const Tensor& bias = {},
               kernels::Activation f = kernels::Activation::kNone,
               const kernels::DropoutKey& dropout = {});

/// Adds the gradients of x W to x (input `ix` of the operation) and W (input
/// `iw`).
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
