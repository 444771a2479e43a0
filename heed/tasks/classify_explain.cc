#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "heed/ops/loss.h"
#include "heed/tasks/classify.h"

namespace heed {

ExplainablePrediction ClassifyTask::PrepareExplanation(
    const Context& given, const ExplainInput& input) const {
  LabelledText text;
  AddLine(input.text, "explain", text);
  const auto corpus =
      std::make_shared<LabelledCorpus>(Encode(text, /*with_labels=*/false));
  const auto scores = [this, corpus](const Context& c, int64_t copies) {
    const LabelledBatch batch = MakeLabelledBatch(*corpus, Repeated(copies));
    return model_->Scores(c, {batch.ids, batch.lengths, batch.segments});
  };
  AttentionWatch watch(input.watch);
  Context ctx = given;
  ctx.observer = &watch;
  const Tensor p = model_->Probabilities(scores(ctx, 1).value());
  std::vector<int32_t> labels;
  if (input.answer.empty()) {
    labels = model_->Choose(p, threshold_).at(0);
  } else {
    labels.push_back(labels_->Id(input.answer));
  }
  std::vector<float> log_p;
  for (int64_t c = 0; c < p.dim(1); ++c) {
    log_p.push_back(std::log(p.row<float>(0)[c]));
  }
  const auto name = [this](int32_t id) { return labels_->Name(id); };
  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = input.text;
  e.axes.push_back(
      TokenAxis("source", "Text", *vocabulary_, corpus->corpus.source.at(0)));
  std::vector<std::string> names;
  for (const int32_t label : labels) names.push_back(name(label));
  e.answer = fmt::format("{}", fmt::join(names, ","));
  // Pooling gives one vector, whatever the number of labels.
  e.axes.push_back(NamesAxis("answer", "Label", {e.answer}));
  const bool one = labels.size() == 1;
  if (!one) e.axes.push_back(NamesAxis("target", "Labels", std::move(names)));
  AddMaps(watch, e);
  // What becomes the vector of the text: weights of its tokens, or what its
  // first token attends to.
  std::optional<size_t> map = e.LastMap("answer", "source");
  if (classifier.pooling == "cls") map = e.LastMap("source", "source");
  for (size_t i = 0; i < labels.size(); ++i) {
    e.targets.push_back(ChoiceTarget(one ? "answer" : "target",
                                     static_cast<int64_t>(i), log_p, labels[i],
                                     name));
    SetMap(e.targets.back(), map, 0);
  }
  const auto chosen_scores = [this, scores](const Context& c, int64_t copies) {
    const Var all = scores(c, copies);
    return model_->multi_label() ? all : LogSoftmax(all);
  };
  result.scores.push_back(SourceScores(
      e, [chosen_scores, labels](const Context& c, int64_t copies) {
        return ChosenColumns(chosen_scores(c, copies), labels);
      }));
  result.scores.back().log_probability = !model_->multi_label();
  if (!input.contrast.empty() && !labels.empty()) {
    const int32_t other = labels_->Id(input.contrast);
    SetChoiceContrast(result, 0, labels[0],
                      {input.contrast, p.row<float>(0)[other]}, other,
                      chosen_scores);
  }
  return {e.answer, {std::move(result)}};
}

}  // namespace heed
