#include "heed/nn/convolution2d.h"

#include <cmath>

namespace heed {

Convolution2d::Convolution2d(const Scope& scope, int64_t channels,
                             int64_t filters, const Window2d& window)
    : weight_(scope.Add(
          "weight", {window.size, window.size, channels, filters},
          {Init::Kind::kUniform,
           std::sqrt(6 / static_cast<double>(window.size * window.size *
                                             channels))})),
      bias_(scope.Add("bias", {filters}, kZeroInit)),
      window_(window) {}

Var Convolution2d::operator()(const Context& ctx, const Var& x) const {
  return Convolve2d(x, ctx.Use(weight_), ctx.Use(bias_), window_,
                    weight_.precision());
}

}  // namespace heed
