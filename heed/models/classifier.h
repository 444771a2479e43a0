// Labels of texts and of pairs of texts.
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
#include "heed/nn/linear.h"

namespace heed {

/// What stands between the encoder of a classifier and its labels.
struct ClassifierConfig {
  Named<PoolingKind> pooling = PoolingKind::kAttention;
  int pooling_heads = 1;
  bool pooler = false;
  double head_dropout = 0.1;

  void Visit(FieldList& v);
  /// Without features.
  PoolingOptions Pooling() const;
};

/// The ids of the labels of each text: one, or ascending any number.
using TextLabels = std::vector<std::vector<int32_t>>;

struct ClassifierLossOptions {
  double scale = 1;      // of the sum over texts, and so of its gradient
  double smoothing = 0;  // of labels, in [0, 1)
};

struct ClassifierLoss {
  Var loss;        // scale · Σ of the smoothed loss
  double nll = 0;  // Σ −log p of the labels, not smoothed
};

/// One vector of a text (an encoder and pooling, or a reader of documents),
/// tanh(W x + b) if there is a pooler, dropout, and an affine map to one score
/// for each label. One label of C: p = softmax(scores). Several: each label has
/// p = σ(score) of its own. Immutable but for its parameters: those of the
/// reader, pooler, output.
class Classifier {
 public:
  Classifier(const Scope& scope, const ClassifierConfig& config,
             int64_t classes, bool multi_label,
             std::unique_ptr<TextReader> reader);
  /// Of the states of an encoder, pooled. Throws: ConfigError for a pooling
  /// that does not fit.
  Classifier(const Scope& scope, const ClassifierConfig& config,
             int64_t classes, bool multi_label,
             std::unique_ptr<TextEncoder> encoder);

  /// Shapes: result [B, C]. Throws: ShapeError.
  Var Scores(const Context& ctx, const TextInput& text) const;

  /// Throws: ShapeError for labels that do not fit.
  ClassifierLoss Loss(const Context& ctx, const TextInput& text,
                      const TextLabels& labels,
                      const ClassifierLossOptions& options) const {
    return LossOf(Scores(ctx, text), labels, options);
  }
  /// The same of scores that are there already, which are consumed.
  ClassifierLoss LossOf(Var scores, const TextLabels& labels,
                        const ClassifierLossOptions& options) const;

  /// Of every label. Shapes: scores and result [B, C].
  Tensor Probabilities(const Tensor& scores) const;

  /// The likeliest label of each row; of several, those of a probability of at
  /// least `threshold`. Shapes: probabilities f32 [B, C].
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
  std::optional<Linear> pooler_;
  Linear output_;
};

}  // namespace heed

#endif  // HEED_MODELS_CLASSIFIER_H_
