// Output layers: from features to scores of tokens.
#ifndef HEED_NN_OUTPUT_LAYER_H_
#define HEED_NN_OUTPUT_LAYER_H_

#include <memory>

#include "heed/kernels/product_topk.h"
#include "heed/nn/linear.h"
#include "heed/ops/linear_cross_entropy.h"

namespace heed {

/// Scores, loss, top-k and vocabulary restriction of all decoders. Immutable
/// except for its parameters; thread-safe.
class OutputLayer {
 public:
  virtual ~OutputLayer() = default;

  virtual int64_t features() const = 0;  // M

  /// Logits: their log softmax gives log-probabilities. Shapes: x [..., M],
  /// result [..., V].
  virtual Var Scores(const Context& ctx, const Var& x) const = 0;

  /// Cross-entropy of the scores, which may be computed in blocks. Shapes: x
  /// [..., M], targets i32 with one element for each row of x.
  virtual CrossEntropyLoss Loss(const Context& ctx, const Var& x,
                                const Tensor& targets,
                                const CrossEntropyOptions& options) const;

  /// Top-k scores (all if there are fewer), and the scores of the `first` first
  /// tokens. Not differentiable. Computes log_sums if `sums`. Shapes: x [R, M].
  virtual kernels::TopKScores TopK(const Context& ctx, const Tensor& x, int k,
                                   int64_t first, bool sums) const;

  /// Output layer restricted to the tokens `ids`, with a copy of their weights.
  /// Not differentiable. Shapes: ids i32 [O]. Throws: ShapeError for an id out
  /// of range.
  virtual std::unique_ptr<OutputLayer> Restricted(const Tensor& ids) const = 0;
};

/// x Wᵀ + b, where W [V, M] may be shared with an embedding, or x W + b.
/// Parameters: weight (unless shared), bias [V].
class OutputProjection : public OutputLayer {
 public:
  /// Adds a weight [V, M], or [M, V] if not `by_token`.
  OutputProjection(const Scope& scope, int64_t features, int64_t vocabulary,
                   Init init, bool bias, bool by_token = true);
  OutputProjection(const Scope& scope, const Embedding& embedding, bool bias);

  int64_t features() const override {
    return weight_ == nullptr ? chosen_.k
                              : weight_->value().dim(by_token_ ? 1 : 0);
  }
  Var Scores(const Context& ctx, const Var& x) const override;
  CrossEntropyLoss Loss(const Context& ctx, const Var& x, const Tensor& targets,
                        const CrossEntropyOptions& options) const override;
  kernels::TopKScores TopK(const Context& ctx, const Tensor& x, int k,
                           int64_t first, bool sums) const override;
  std::unique_ptr<OutputLayer> Restricted(const Tensor& ids) const override;

 private:
  OutputProjection(const Scope& scope, Parameter& weight, bool bias,
                   bool by_token);
  OutputProjection(kernels::PackedMatrix chosen, Tensor bias);
  const kernels::PackedMatrix& Packed() const;
  LinearWeights Weights(const Context& ctx) const;
  const Tensor& bias() const {
    return bias_ == nullptr ? constant_bias_ : bias_->value();
  }

  const Parameter* weight_ = nullptr;
  bool by_token_ = true;
  kernels::PackedMatrix chosen_;  // replaces weight_: columns of some tokens
  const Parameter* bias_ = nullptr;
  Tensor constant_bias_;  // used if there is no parameter
};

}  // namespace heed

#endif  // HEED_NN_OUTPUT_LAYER_H_
