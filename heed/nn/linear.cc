#include "heed/nn/linear.h"

#include "heed/ops/matmul.h"

namespace heed {

Linear::Linear(const Scope& scope, int64_t in, int64_t out, Init init)
    : weight_(scope.Add("weight", {in, out}, init)),
      bias_(scope.Add("bias", {out}, {Init::Kind::kConstant, 0})) {}

Var Linear::operator()(const Context& ctx, const Var& x) const {
  return Affine(x, ctx.Use(weight_), ctx.Use(bias_));
}

Embedding::Embedding(const Scope& scope, int64_t vocabulary, int64_t features,
                     Init init)
    : weight_(scope.Add("weight", {vocabulary, features}, init)) {}

Var Embedding::operator()(const Context& ctx, const Tensor& ids) const {
  return Embed(ctx.Use(weight_), ids);
}

}  // namespace heed
