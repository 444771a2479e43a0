// Parameters: the tensors that training changes.
#ifndef HEED_AUTOGRAD_PARAMETER_H_
#define HEED_AUTOGRAD_PARAMETER_H_

#include <cstdint>
#include <mutex>
#include <string>

#include "heed/kernels/gemm.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// A named tensor with its gradient. The value is read from many threads; who
/// changes it (an optimiser, a loader) is alone and calls Changed() afterwards.
class Parameter {
 public:
  Parameter(std::string name, Tensor value, kernels::Precision precision)
      : name_(std::move(name)),
        value_(std::move(value)),
        precision_(precision) {}
  Parameter(const Parameter&) = delete;
  Parameter& operator=(const Parameter&) = delete;

  /// The path in the model: "decoder.attention.query.weight".
  const std::string& name() const { return name_; }
  const Tensor& value() const { return value_; }
  Tensor& mutable_value() { return value_; }
  /// In what products with this parameter round their factors.
  kernels::Precision precision() const { return precision_; }

  /// Sum of gradients since ClearGradient; undefined if there was none.
  const Tensor& gradient() const { return gradient_; }
  Tensor& mutable_gradient() { return gradient_; }
  void ClearGradient() { gradient_ = Tensor(); }

  /// Forgets what was derived from the old value.
  void Changed();

  /// The value (or its transpose) arranged for products, made on first use.
  /// Thread-safe.
  const kernels::PackedMatrix& Packed(bool transpose) const;

 private:
  struct Cache {
    kernels::PackedMatrix matrix;
    bool valid = false;
  };

  std::string name_;
  Tensor value_;
  Tensor gradient_;
  kernels::Precision precision_;
  mutable std::mutex mutex_;
  mutable Cache packed_[2];
};

}  // namespace heed

#endif  // HEED_AUTOGRAD_PARAMETER_H_
