#include <cmath>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/data/numbers.h"
#include "heed/tasks/choice.h"
#include "heed/tasks/one_answer/model.h"

namespace heed::one_answer {
namespace {

/// Predicts a label or a number.
class OneAnswerPredictor : public PredictorWith<Prediction> {
 public:
  OneAnswerPredictor(const Model& model, Prediction options)
      : PredictorWith(options), model_(model) {}

 protected:
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const Prediction& options,
                              const PredictCall& call) const override;
  ExplainablePrediction PrepareExplanation(
      const Context& given, const ExplainInput& input,
      const Prediction& options) const override;
  bool joins_inputs(const Prediction&) const override { return true; }

 private:
  std::vector<int32_t> Read(const Input& input) const {
    return ReadInputOf(*model_.task, input.Text(), input.place,
                       model_.config.max_length);
  }
  double NumberOf(float answer) const {
    return model_.scale.mean + model_.scale.deviation * double{answer};
  }
  Answer LabelAnswer(std::span<const float> log_p, bool probabilities) const;
  ExplainableSegment ExplainNumber(const Context& given,
                                   const ExplainInput& input, Axis axis,
                                   const RunOfCopies& number) const;

  const Model& model_;
};

Answer OneAnswerPredictor::LabelAnswer(std::span<const float> log_p,
                                       bool probabilities) const {
  const auto chosen = static_cast<size_t>(LargestOf(log_p));
  CandidateList candidates("labels", "label");
  for (size_t c = 0; c < log_p.size(); ++c) {
    if (!probabilities && c != chosen) continue;
    candidates.Add(model_.task->labels[c], std::exp(double{log_p[c]}));
  }
  Answer answer = candidates.answer();
  if (!probabilities) answer.line = model_.task->labels[chosen];
  return answer;
}

std::vector<Answer> OneAnswerPredictor::Predict(std::span<const Input> inputs,
                                                const Prediction& options,
                                                const PredictCall& call) const {
  Corpus corpus;
  for (const Input& input : inputs) {
    corpus.source.push_back(Read(input));
    corpus.target.push_back({0});
  }
  const Tensor found = model_.Answers(call.context(), corpus);
  std::vector<Answer> answers;
  for (int64_t i = 0; i < found.dim(0); ++i) {
    const std::span<const float> row(found.row<float>(i),
                                     static_cast<size_t>(found.dim(1)));
    if (model_.of_labels()) {
      answers.push_back(LabelAnswer(row, options.probabilities));
    } else {
      const double number = NumberOf(row[0]);
      answers.push_back({ExactNumber(number), {{"number", number}}});
    }
  }
  return answers;
}

ExplainableSegment OneAnswerPredictor::ExplainNumber(
    const Context& given, const ExplainInput& input, Axis axis,
    const RunOfCopies& number) const {
  if (!input.answer.empty() || !input.contrast.empty()) {
    throw FormatError(
        "explain: a predicted number has no alternatives; leave out the answer "
        "and the contrast");
  }
  AttentionWatch watch(input.watch);
  const Context ctx = ObservedBy(watch, given);
  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = input.given.Shown();
  e.answer = ExactNumber(NumberOf(number(ctx, 1).value().row<float>(0)[0]));
  e.axes = {std::move(axis),
            NamesAxis("answer", model_.task->row.answer_label, {e.answer})};
  AddMaps(watch, e);
  e.targets.push_back({.axis = "answer", .item = 0});
  result.scores.push_back(SourceScores(e, number));
  result.scores.back().log_probability = false;
  return result;
}

ExplainablePrediction OneAnswerPredictor::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    const Prediction& /*options*/) const {
  const OneAnswerTask& task = *model_.task;
  const std::vector<int32_t> ids = Read(input.given);
  const auto answers = [this, ids](const Context& ctx, int64_t copies) {
    return model_.AnswersOf(model_.network.Scores(
        ctx, BatchOf(std::span(&ids, 1), Repeated(copies))));
  };
  ExplainableSegment result =
      model_.of_labels()
          ? ExplainChoice(given, input, {task.axis(ids)},
                          {task.row.answer_label,
                           [&task](int32_t id) { return At(task.labels, id); },
                           [&task](const std::string& name, const char* place) {
                             return LabelNamed(task, name, place);
                           },
                           answers})
          : ExplainNumber(given, input, task.axis(ids), answers);
  ExplanationSegment& e = result.segment;
  // The vector of the input is the first state, or the pooled states.
  const bool first = model_.config.classifier.pooling == PoolingKind::kCls;
  SetMap(e.targets.back(), e.LastMap(first ? "source" : "answer", "source"), 0);
  std::string answer = e.answer;
  return {std::move(answer), {std::move(result)}};
}

}  // namespace

void Prediction::Visit(FieldList& v) {
  if (!of_labels) return;
  v.Section("Output");
  v("probabilities", probabilities,
    "write the probability of every label: label, tab, number, tab, ...");
}

Prediction Settings::prediction() const {
  return {.of_labels = !task_->labels.empty()};
}

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& model,
                                                   Prediction options) const {
  return std::make_unique<OneAnswerPredictor>(model, options);
}

}  // namespace heed::one_answer
