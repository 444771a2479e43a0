#include "heed/models/classifier.h"

#include <algorithm>
#include <utility>

#include "heed/base/errors.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/rowwise.h"
#include "heed/models/outline_parts.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"

namespace heed {
namespace {

void CheckLabels(const Var& scores, const TextLabels& labels, bool single) {
  const int64_t classes = scores.dim(1);
  bool fits = std::ssize(labels) == scores.dim(0);
  for (const std::vector<int32_t>& ids : labels) {
    fits = fits && (!single || ids.size() == 1);
    for (const int32_t id : ids) fits = fits && id >= 0 && id < classes;
  }
  if (fits) return;
  throw ShapeError(
      "classifier: labels of {} texts for scores {}; each text "
      "needs {} of the {} labels",
      labels.size(), scores.shape().ToString(), single ? "one" : "some",
      classes);
}

}  // namespace

void ClassifierConfig::Visit(FieldList& v) {
  v.Section("Classifier");
  v("pooling", pooling, "pooling of the states of a text");
  v("pooling_heads", pooling_heads, Range(1, 256),
    "heads of pooling attention");
  v("pooler", pooler, "dense layer between pooling and labels");
  v("pooler_activation", pooler_activation, "activation of the dense layer")
      .If(pooler, "--pooler");
  v("head_dropout", head_dropout, UpToBelow(0, 1),
    "probability to drop a feature of the pooled vector");
}

PoolingOptions ClassifierConfig::Pooling() const {
  return {.kind = pooling, .heads = pooling_heads, .init = {}};
}

Classifier::Classifier(const Scope& scope, const ClassifierConfig& config,
                       int64_t classes, bool multi_label,
                       std::unique_ptr<TextReader> reader)
    : classes_(classes),
      multi_label_(multi_label),
      dropout_(config.head_dropout),
      reader_(std::move(reader)),
      pooler_(config.pooler
                  ? std::optional<Dense>(std::in_place, scope / "pooler",
                                         reader_->output_size(),
                                         reader_->output_size(),
                                         config.pooler_activation, Init())
                  : std::nullopt),
      output_(scope / "output", reader_->output_size(), classes, Init()) {}

Classifier::Classifier(const Scope& scope, const ClassifierConfig& config,
                       int64_t classes, bool multi_label,
                       std::unique_ptr<TextEncoder> encoder)
    : Classifier(scope, config, classes, multi_label,
                 std::make_unique<PooledReader>(
                     scope / "pooling", config.Pooling(), std::move(encoder))) {
}

Var Classifier::Scores(const Context& ctx, const TextInput& text) const {
  Var pooled = (*reader_)(ctx, text);
  if (pooler_) pooled = (*pooler_)(ctx, pooled);
  return output_(ctx, Dropout(ctx, pooled, dropout_));
}

ClassifierLoss Classifier::LossOf(Var scores, const TextLabels& labels,
                                  const ClassifierLossOptions& options) const {
  CheckLabels(scores, labels, !multi_label_);
  return multi_label_ ? MultiLoss(scores, labels, options)
                      : SingleLoss(std::move(scores), labels, options);
}

ClassifierLoss Classifier::SingleLoss(
    Var scores, const TextLabels& labels,
    const ClassifierLossOptions& options) const {
  Tensor targets({std::ssize(labels)}, DType::kI32);
  for (size_t b = 0; b < labels.size(); ++b) {
    targets.data<int32_t>()[b] = labels[b][0];
  }
  CrossEntropyLoss loss = CrossEntropy(std::move(scores), targets,
                                       {-1, options.smoothing, options.scale});
  return {std::move(loss.loss), loss.nll};
}

ClassifierLoss Classifier::MultiLoss(
    const Var& scores, const TextLabels& labels,
    const ClassifierLossOptions& options) const {
  const DType dtype = scores.value().dtype();
  const auto targets = [&](double smoothing) {
    Tensor t = Tensor::Full(scores.shape(), smoothing / 2, DType::kF64);
    for (size_t b = 0; b < labels.size(); ++b) {
      for (const int32_t id : labels[b]) {
        t.row<double>(static_cast<int64_t>(b))[id] = 1 - smoothing / 2;
      }
    }
    return t.To(dtype);
  };
  return {BinaryCrossEntropy(scores, targets(options.smoothing), options.scale),
          BinaryCrossEntropy(scores.value(), targets(0), 1).value().item()};
}

Tensor Classifier::Probabilities(const Tensor& scores) const {
  return multi_label_ ? kernels::Sigmoid(scores)
                      : kernels::Exp(kernels::LogSoftmax(scores));
}

TextLabels Classifier::Choose(const Tensor& probabilities,
                              double threshold) const {
  TextLabels chosen(static_cast<size_t>(probabilities.dim(0)));
  for (size_t b = 0; b < chosen.size(); ++b) {
    const float* p = probabilities.row<float>(static_cast<int64_t>(b));
    if (!multi_label_) {
      const float* best = std::max_element(p, p + classes_);
      chosen[b] = {static_cast<int32_t>(best - p)};
      continue;
    }
    for (int32_t c = 0; c < classes_; ++c) {
      if (p[c] >= threshold) chosen[b].push_back(c);
    }
  }
  return chosen;
}

ModelOutline Classifier::Outline() const {
  std::vector<OutlineSequence> sequences = reader_->Outline();
  OutlineSequence& last = sequences.back();
  if (last.name.empty()) last.name = "classifier";
  if (pooler_) {
    last.blocks.push_back(
        {{{.name = pooler_->Formula(), .features = pooler_->output_size()}},
         1});
  }
  last.blocks.push_back(
      OutputOutline(multi_label_ ? "sigmoid" : "softmax", classes_));
  return {{}, std::move(sequences)};
}

}  // namespace heed
