#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heed/ops/loss.h"
#include "heed/tasks/classify.h"

namespace heed {

ExplainablePrediction ClassifyTask::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    AttentionWatch& watch) const {
  LabelledText text;
  AddLine(input.text, "explain", text);
  const auto corpus =
      std::make_shared<LabelledCorpus>(Encode(text, /*with_labels=*/false));
  const auto repeated = [corpus](int64_t copies) {
    const LabelledBatch batch = MakeLabelledBatch(*corpus, Repeated(copies));
    return TextInput{batch.ids, batch.lengths, batch.segments};
  };
  Context ctx = given;
  ctx.observer = &watch;
  const Var scores = model_->Scores(ctx, repeated(1));
  std::vector<int32_t> labels;
  if (input.answer.empty()) {
    labels =
        model_->Choose(model_->Probabilities(scores.value()), threshold_).at(0);
  } else {
    labels.push_back(labels_->Id(input.answer));
  }
  ExplainablePrediction e;
  for (const int32_t id : corpus->corpus.source.at(0)) {
    e.source.push_back(vocabulary_->Piece(id));
  }
  for (const int32_t label : labels) e.target.push_back(labels_->Name(label));
  e.answer = fmt::format("{}", fmt::join(e.target, ","));
  e.target_inputs = {e.answer};
  // What becomes the vector of the text: weights of its tokens, or what its
  // first token looks at.
  e.alignment = PoolingAttention(watch);
  if (classifier.pooling == "cls") e.alignment = LastSelfAttention(watch);
  e.alignment_rows.assign(labels.size(), 0);
  e.scores.tokens = std::ssize(e.source);
  e.scores.targets = std::ssize(labels);
  e.scores.log_probability = !model_->multi_label();
  e.scores.scores = [this, repeated, labels](const Context& c, int64_t copies) {
    const Var all = model_->Scores(c, repeated(copies));
    return ChosenColumns(model_->multi_label() ? all : LogSoftmax(all), labels);
  };
  return e;
}

}  // namespace heed
