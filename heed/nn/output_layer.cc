#include "heed/nn/output_layer.h"

#include <algorithm>
#include <utility>

#include "heed/kernels/gather.h"
#include "heed/ops/check.h"
#include "heed/ops/matmul.h"

namespace heed {
namespace {

kernels::TopKScores TopKOfProduct(const Context& ctx, const Tensor& x,
                                  const kernels::PackedMatrix& weight,
                                  const Tensor& bias, int k, int64_t first,
                                  bool sums) {
  if (ctx.tape != nullptr || !kernels::CanFindTopK(x, weight, k, first)) {
    return {};
  }
  return kernels::FindTopK(x, weight, bias, k, first, sums);
}

/// Chosen columns of another layer.
class RestrictedProjection : public OutputLayer {
 public:
  RestrictedProjection(kernels::PackedMatrix weight, Tensor bias)
      : weight_(std::move(weight)), bias_(std::move(bias)) {}

  int64_t features() const override { return weight_.k; }
  Var Scores(const Context& /*ctx*/, const Var& x) const override {
    Shape shape = x.shape();
    shape.Set(-1, bias_.numel());
    Tensor scores(shape, x.value().dtype());
    kernels::Multiply(x.value(), weight_, {.bias = &bias_}, scores);
    return scores;
  }
  kernels::TopKScores TopK(const Context& ctx, const Tensor& x, int k,
                           int64_t first, bool sums) const override {
    kernels::TopKScores top =
        TopKOfProduct(ctx, x, weight_, bias_, k, first, sums);
    return top.defined() ? top : OutputLayer::TopK(ctx, x, k, first, sums);
  }
  std::unique_ptr<OutputLayer> Restricted(const Tensor& ids) const override {
    CheckLengths("tokens to score", ids, ids.numel(), bias_.numel() - 1);
    return std::make_unique<RestrictedProjection>(
        kernels::SelectColumns(weight_, ids), kernels::Gather(bias_, ids));
  }

 private:
  kernels::PackedMatrix weight_;
  Tensor bias_;
};

}  // namespace

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

LinearWeights OutputProjection::Weights(const Context& ctx) const {
  return {ctx.Use(*weight_), by_token_,
          bias_ == nullptr ? Var(constant_bias_) : ctx.Use(*bias_)};
}

Var OutputProjection::Scores(const Context& ctx, const Var& x) const {
  const auto [weight, transposed, bias] = Weights(ctx);
  return transposed ? AffineTransposed(x, weight, bias)
                    : Affine(x, weight, bias);
}

CrossEntropyLoss OutputProjection::Loss(
    const Context& ctx, const Var& x, const Tensor& targets,
    const CrossEntropyOptions& options) const {
  return LinearCrossEntropy(x, Weights(ctx), targets, options);
}

kernels::TopKScores OutputProjection::TopK(const Context& ctx, const Tensor& x,
                                           int k, int64_t first,
                                           bool sums) const {
  kernels::TopKScores top =
      TopKOfProduct(ctx, x, weight_->Packed(by_token_), bias(), k, first, sums);
  return top.defined() ? top : OutputLayer::TopK(ctx, x, k, first, sums);
}

std::unique_ptr<OutputLayer> OutputProjection::Restricted(
    const Tensor& ids) const {
  CheckLengths("tokens to score", ids, ids.numel(), bias().numel() - 1);
  return std::make_unique<RestrictedProjection>(
      kernels::SelectColumns(weight_->Packed(by_token_), ids),
      kernels::Gather(bias(), ids));
}

}  // namespace heed
