#include "heed/nn/linear.h"

#include <cmath>
#include <numeric>

#include "heed/autograd/product_observer.h"
#include "heed/kernels/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

/// Rescales blocks of columns from Glorot's range for the whole matrix to the
/// range of each block.
void StartAsAlone(int64_t in, std::initializer_list<int64_t> outs,
                  Tensor& weight) {
  const int64_t all = weight.cols();
  int64_t begin = 0;
  for (const int64_t out : outs) {
    const double factor = std::sqrt(static_cast<double>(in + all) /
                                    static_cast<double>(in + out));
    Tensor block = weight.Columns(begin, begin + out);
    kernels::AddTo(block, block.Clone(), factor - 1);
    begin += out;
  }
}

}  // namespace

Linear::Linear(const Scope& scope, int64_t in,
               std::initializer_list<int64_t> outs, Init init, bool bias)
    : weight_(scope.Add(
          "weight", {in, std::accumulate(outs.begin(), outs.end(), int64_t{0})},
          init, ParameterUse::kMatrix)) {
  if (outs.size() > 1 && init.kind == Init::Kind::kGlorot) {
    StartAsAlone(in, outs, weight_.mutable_value());
  }
  if (bias) bias_ = &scope.Add("bias", {weight_.value().cols()}, kZeroInit);
}

Var Linear::operator()(const Context& ctx, const Var& x) const {
  if (auto* observer = ProductObserver::Of(ctx)) {
    observer->OnProduct(weight_, x.value());
  }
  const Var weight = ctx.Use(weight_);
  return bias_ == nullptr ? MatMul(x, weight)
                          : Affine(x, weight, ctx.Use(*bias_));
}

Embedding::Embedding(const Scope& scope, int64_t vocabulary, int64_t features,
                     Init init)
    : weight_(scope.Add("weight", {vocabulary, features}, init,
                        ParameterUse::kTable)) {}

Var Embedding::operator()(const Context& ctx, const Tensor& ids) const {
  return Embed(ctx.Use(weight_), ids);
}

Var Embedding::Rows(const Context& ctx, int64_t begin, int64_t end) const {
  if (!weight_.compact()) return Slice(ctx.Use(weight_), begin, end);
  Tensor ids({end - begin}, DType::kI32);
  std::iota(ids.data<int32_t>(), ids.data<int32_t>() + ids.numel(),
            static_cast<int32_t>(begin));
  return weight_.Rows(ids);
}

}  // namespace heed
