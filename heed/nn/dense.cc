#include "heed/nn/dense.h"

#include "heed/base/at.h"
#include "heed/ops/activation.h"
#include "heed/ops/elementwise.h"

namespace heed {

Var Dense::operator()(const Context& ctx, const Var& x) const {
  Var y = linear_(ctx, x);
  switch (f_) {
    case DenseActivation::kTanh:
      return Tanh(y);
    case DenseActivation::kRelu:
      return Relu(y);
    case DenseActivation::kGelu:
      return Activate(y, Activation::kGelu);
    case DenseActivation::kNone:
      break;
  }
  return y;
}

const char* Dense::Formula() const {
  constexpr std::array kFormulas = {"tanh(W x + b)", "relu(W x + b)",
                                    "gelu(W x + b)", "W x + b"};
  return At(kFormulas, f_);
}

}  // namespace heed
