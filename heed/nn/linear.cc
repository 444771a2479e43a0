#include "heed/nn/linear.h"

#include <cmath>
#include <numeric>

#include "heed/kernels/elementwise.h"
#include "heed/kernels/gather.h"
#include "heed/ops/check.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

/// Stretches blocks of columns, which got Glorot's range for all columns
/// together, to the range that each has for itself.
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
  if (!weight_.quantized()) return Slice(ctx.Use(weight_), begin, end);
  Tensor ids({end - begin}, DType::kI32);
  std::iota(ids.data<int32_t>(), ids.data<int32_t>() + ids.numel(),
            static_cast<int32_t>(begin));
  return weight_.Rows(ids);
}

OutputProjection::OutputProjection(const Scope& scope, int64_t in,
                                   int64_t vocabulary, Init init, bool bias)
    : OutputProjection(scope, Embedding(scope, vocabulary, in, init), bias) {}

OutputProjection::OutputProjection(const Scope& scope,
                                   const Embedding& embedding, bool bias)
    : weight_(&embedding.weight()) {
  embedding.weight().SetScoresTokens();
  const Tensor& weight = weight_->value();
  if (bias) {
    bias_ = &scope.Add("bias", {weight.dim(0)}, kZeroInit);
  } else {
    constant_bias_ = Tensor::Zeros({weight.dim(0)}, weight.dtype());
  }
}

OutputProjection::OutputProjection(std::shared_ptr<const Parameter> weight,
                                   Tensor bias)
    : weight_(weight.get()),
      constant_bias_(std::move(bias)),
      own_weight_(std::move(weight)) {}

Var OutputProjection::Bias(const Context& ctx) const {
  return bias_ == nullptr ? Var(constant_bias_) : ctx.Use(*bias_);
}

Var OutputProjection::operator()(const Context& ctx, const Var& x) const {
  return AffineTransposed(x, ctx.Use(*weight_), Bias(ctx));
}

CrossEntropyLoss OutputProjection::Loss(
    const Context& ctx, const Var& x, const Tensor& targets,
    const CrossEntropyOptions& options) const {
  return LinearCrossEntropy(x, {ctx.Use(*weight_), true, Bias(ctx)}, targets,
                            options);
}

kernels::TopKScores OutputProjection::TopK(const Context& ctx, const Tensor& x,
                                           int k, int64_t first,
                                           bool sums) const {
  if (ctx.tape != nullptr || k == 0) return {};
  const kernels::PackedMatrix& weight = weight_->Packed(true);
  if (!kernels::CanFindTopK(x, weight, k, first)) return {};
  const Tensor& bias = bias_ == nullptr ? constant_bias_ : bias_->value();
  return kernels::FindTopK(x, weight, bias, k, first, sums);
}

OutputProjection OutputProjection::Restricted(const Tensor& ids) const {
  CheckLengths("words to score", ids, ids.numel(), weight_->value().dim(0) - 1);
  const Tensor& bias = bias_ == nullptr ? constant_bias_ : bias_->value();
  return {weight_->SelectRows(ids), kernels::Gather(bias, ids)};
}

}  // namespace heed
