#include "heed/nn/output_layer.h"

#include <algorithm>
#include <utility>

#include "heed/kernels/gather.h"
#include "heed/ops/check.h"
#include "heed/ops/matmul.h"

namespace heed {

CrossEntropyLoss OutputLayer::Loss(const Context& ctx, const Var& x,
                                   const Tensor& targets,
                                   const CrossEntropyOptions& options) const {
  return CrossEntropy(Scores(ctx, x), targets, options);
}

kernels::TopKScores OutputLayer::TopK(const Context& ctx, const Tensor& x,
                                      int k, int64_t first, bool sums) const {
  const Tensor given = Scores(ctx, x).value();
  const Tensor scores =
      given.dtype() == DType::kF32 ? given.Contiguous() : given.To(DType::kF32);
  return kernels::FindTopK(
      scores, static_cast<int>(std::min<int64_t>(k, scores.cols())), first,
      sums);
}

OutputProjection::OutputProjection(const Scope& scope, int64_t features,
                                   int64_t vocabulary, Init init, bool bias,
                                   bool by_token)
    : OutputProjection(
          scope,
          scope.Add("weight",
                    by_token ? Shape{vocabulary, features}
                             : Shape{features, vocabulary},
                    init,
                    by_token ? ParameterUse::kTable : ParameterUse::kMatrix),
          bias, by_token) {}

OutputProjection::OutputProjection(const Scope& scope,
                                   const Embedding& embedding, bool bias)
    : OutputProjection(scope, embedding.weight(), bias, true) {}

OutputProjection::OutputProjection(const Scope& scope, Parameter& weight,
                                   bool bias, bool by_token)
    : weight_(&weight), by_token_(by_token) {
  weight.SetScoresTokens();
  const int64_t vocabulary = weight.value().dim(by_token ? 0 : 1);
  if (bias) {
    bias_ = &scope.Add("bias", {vocabulary}, kZeroInit);
  } else {
    constant_bias_ = Tensor::Zeros({vocabulary}, weight.value().dtype());
  }
}

OutputProjection::OutputProjection(kernels::PackedMatrix chosen, Tensor bias)
    : chosen_(std::move(chosen)), constant_bias_(std::move(bias)) {}

const kernels::PackedMatrix& OutputProjection::Packed() const {
  return weight_ == nullptr ? chosen_ : weight_->Packed(by_token_);
}

LinearWeights OutputProjection::Weights(const Context& ctx) const {
  return {ctx.Use(*weight_), by_token_,
          bias_ == nullptr ? Var(constant_bias_) : ctx.Use(*bias_)};
}

Var OutputProjection::Scores(const Context& ctx, const Var& x) const {
  if (weight_ == nullptr) {
    Shape shape = x.shape();
    shape.Set(-1, chosen_.n);
    Tensor scores(shape, x.value().dtype());
    kernels::Multiply(x.value(), chosen_, {.bias = &bias()}, scores);
    return scores;
  }
  const auto [weight, transposed, bias] = Weights(ctx);
  return transposed ? AffineTransposed(x, weight, bias)
                    : Affine(x, weight, bias);
}

CrossEntropyLoss OutputProjection::Loss(
    const Context& ctx, const Var& x, const Tensor& targets,
    const CrossEntropyOptions& options) const {
  if (weight_ == nullptr) return OutputLayer::Loss(ctx, x, targets, options);
  return LinearCrossEntropy(x, Weights(ctx), targets, options);
}

kernels::TopKScores OutputProjection::TopK(const Context& ctx, const Tensor& x,
                                           int k, int64_t first,
                                           bool sums) const {
  if (ctx.tape != nullptr || !kernels::CanFindTopK(x, Packed(), k, first)) {
    return OutputLayer::TopK(ctx, x, k, first, sums);
  }
  return kernels::FindTopK(x, Packed(), bias(), k, first, sums);
}

std::unique_ptr<OutputLayer> OutputProjection::Restricted(
    const Tensor& ids) const {
  CheckLengths("tokens to score", ids, ids.numel(), bias().numel() - 1);
  return std::unique_ptr<OutputLayer>(new OutputProjection(
      kernels::SelectColumns(Packed(), ids), kernels::Gather(bias(), ids)));
}

}  // namespace heed
