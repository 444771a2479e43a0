// Dense layers: an affine map and an activation.
#ifndef HEED_NN_DENSE_H_
#define HEED_NN_DENSE_H_

#include <array>
#include <cstdint>

#include "heed/base/config.h"
#include "heed/nn/linear.h"

namespace heed {

/// Activation of a dense layer.
enum class DenseActivation : uint8_t { kTanh, kRelu, kGelu, kNone };
constexpr auto WordsOf(DenseActivation) {
  return std::array{"tanh", "relu", "gelu", "none"};
}

/// f(x W + b). Parameters: weight [in, out], bias [out].
class Dense {
 public:
  Dense(const Scope& scope, int64_t in, int64_t out, DenseActivation f,
        Init init)
      : linear_(scope, in, out, init), f_(f) {}

  /// Shapes: x [..., in], result [..., out].
  Var operator()(const Context& ctx, const Var& x) const;

  int64_t output_size() const { return linear_.weight().value().cols(); }
  /// Formula for diagrams: "tanh(W x + b)".
  const char* Formula() const;

 private:
  Linear linear_;
  DenseActivation f_;
};

}  // namespace heed

#endif  // HEED_NN_DENSE_H_
