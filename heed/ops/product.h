// The weight of a product, with its packed forms.
#ifndef HEED_OPS_PRODUCT_H_
#define HEED_OPS_PRODUCT_H_

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

}  // namespace heed

#endif  // HEED_OPS_PRODUCT_H_
