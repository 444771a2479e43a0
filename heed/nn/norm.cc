#include "heed/nn/norm.h"

#include "heed/ops/norm.h"

namespace heed {

LayerNormalization::LayerNormalization(const Scope& scope, int64_t features,
                                       double epsilon)
    : gain_(scope.Add("gain", {features}, {Init::Kind::kConstant, 1})),
      bias_(scope.Add("bias", {features}, kZeroInit)),
      epsilon_(epsilon) {}

Var LayerNormalization::operator()(const Context& ctx, const Var& x) const {
  return LayerNorm(x, ctx.Use(gain_), ctx.Use(bias_), epsilon_);
}

AddNormResult LayerNormalization::Sum(const Context& ctx, const Var& x,
                                      const Var& y, double dropout) const {
  return AddNorm(ctx, x, y, dropout, ctx.Use(gain_), ctx.Use(bias_), epsilon_);
}

}  // namespace heed
