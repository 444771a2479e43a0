// Classification of texts and of pairs of texts.
#ifndef HEED_MODELS_CLASSIFIER_H_
#define HEED_MODELS_CLASSIFIER_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/config.h"
#include "heed/base/model_outline.h"
#include "heed/models/text_reader.h"
#include "heed/nn/dense.h"
#include "heed/nn/linear.h"

namespace heed {

/// Configuration of the head of a classifier.
struct ClassifierConfig {
  Named<PoolingKind> pooling = PoolingKind::kAttention;
  int pooling_heads = 1;
  bool pooler = false;
  Named<DenseActivation> pooler_activation = DenseActivation::kTanh;
  double head_dropout = 0.1;

  void Visit(FieldList& v);
  /// Options of pooling; `features` is not set.
  PoolingOptions Pooling() const;
};

/// Label ids of each text: one, or any number in ascending order.
using TextLabels = std::vector<std::vector<int32_t>>;

struct ClassifierLossOptions {
  double scale = 1;      // factor of the sum over texts and its gradient
  double smoothing = 0;  // label smoothing, in [0, 1)
};

struct ClassifierLoss {
  Var loss;        // scale · Σ of the loss with label smoothing
  double nll = 0;  // Σ −log p of the labels, without smoothing
};

/// Text vector (from an encoder and pooling, or a reader of documents),
/// optional pooler f(W x + b), dropout, and an affine map to one score for
/// each label. Single-label: p = softmax(scores). Multi-label: p = σ(score) for
/// each label. Immutable except for its parameters: those of the reader,
/// pooler, output.
class Classifier {
 public:
  Classifier(const Scope& scope, const ClassifierConfig& config,
             int64_t classes, bool multi_label,
             std::unique_ptr<TextReader> reader);
  /// Pools the states of an encoder. Throws: ConfigError for an invalid
  /// pooling.
  Classifier(const Scope& scope, const ClassifierConfig& config,
             int64_t classes, bool multi_label,
             std::unique_ptr<TextEncoder> encoder);

  /// Scores of the labels. Shapes: result [B, C]. Throws: ShapeError.
  Var Scores(const Context& ctx, const TextInput& text) const;

  /// Loss of labels. Throws: ShapeError for invalid labels.
  ClassifierLoss Loss(const Context& ctx, const TextInput& text,
                      const TextLabels& labels,
                      const ClassifierLossOptions& options) const {
    return LossOf(Scores(ctx, text), labels, options);
  }
  /// Loss of given scores, which are consumed.
  ClassifierLoss LossOf(Var scores, const TextLabels& labels,
                        const ClassifierLossOptions& options) const;

  /// Probability of each label. Shapes: scores and result [B, C].
  Tensor Probabilities(const Tensor& scores) const;

  /// Predicted labels: the most probable one of each row; if multi-label, those
  /// with a probability of at least `threshold`. Shapes: probabilities f32 [B,
  /// C].
  TextLabels Choose(const Tensor& probabilities, double threshold) const;

  ModelOutline Outline() const;
  int64_t classes() const { return classes_; }
  bool multi_label() const { return multi_label_; }

 private:
  ClassifierLoss SingleLoss(Var scores, const TextLabels& labels,
                            const ClassifierLossOptions& options) const;
  ClassifierLoss MultiLoss(const Var& scores, const TextLabels& labels,
                           const ClassifierLossOptions& options) const;

  int64_t classes_;
  bool multi_label_;
  double dropout_;
  std::unique_ptr<TextReader> reader_;
  std::optional<Dense> pooler_;
  Linear output_;
};

}  // namespace heed

#endif  // HEED_MODELS_CLASSIFIER_H_
