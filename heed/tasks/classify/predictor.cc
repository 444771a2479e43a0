#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/data/documents.h"
#include "heed/explain/observed_inputs.h"
#include "heed/ops/loss.h"
#include "heed/tasks/choice.h"
#include "heed/tasks/classify/classify.h"

namespace heed::classify {
namespace {

class ClassifyPredictor : public PredictorWith<Prediction> {
 public:
  ClassifyPredictor(const Model& model, Prediction options)
      : PredictorWith(options), model_(model) {}

 protected:
  /// Classifies texts (a pair: text, tab, second text). The answer is a label,
  /// or several labels separated by commas.
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const Prediction& options,
                              const PredictCall& call) const override;
  ExplainablePrediction PrepareExplanation(
      const Context& given, const ExplainInput& input,
      const Prediction& options) const override;
  bool joins_inputs(const Prediction&) const override { return true; }

 private:
  void Add(const std::string& line, const std::string& place,
           LabelledText& text) const;
  std::vector<Axis> InputAxes(const LabelledText& text) const;
  AnswerSlots SlotsOf(const RunOfCopies& scores) const;

  const Model& model_;
};

void ClassifyPredictor::Add(const std::string& line, const std::string& place,
                            LabelledText& text) const {
  const size_t tab = model_.pairs() ? line.find('\t') : line.npos;
  if (model_.pairs() && tab == line.npos) {
    throw FormatError("{}: no tab between the texts of a pair", place);
  }
  text.text.push_back(line.substr(0, tab));
  if (model_.pairs()) text.second.push_back(line.substr(tab + 1));
}

std::vector<Answer> ClassifyPredictor::Predict(std::span<const Input> inputs,
                                               const Prediction& options,
                                               const PredictCall& call) const {
  LabelledText text;
  for (const Input& input : inputs) Add(input.Text(), input.place, text);
  const LabelSet& labels = model_.labels;
  const Model::Answers answers = model_.Answer(
      call.context(), model_.Encode(text, false), false, options.threshold);
  std::vector<heed::Answer> all;
  for (size_t i = 0; i < answers.chosen.size(); ++i) {
    CandidateList candidates("labels", "label");
    const auto add = [&](int32_t c) {
      candidates.Add(labels.Name(c), At(answers.probabilities[i], c));
    };
    if (options.probabilities) {
      for (int32_t c = 0; c < labels.size(); ++c) add(c);
      all.push_back(candidates.answer());
      continue;
    }
    std::string chosen;
    for (const int32_t c : answers.chosen[i]) {
      chosen += (chosen.empty() ? "" : ",") + labels.Name(c);
      add(c);
    }
    all.push_back(candidates.answer());
    all.back().line = chosen;
  }
  return all;
}

constexpr const char* kSentencesAxis = "sentences";

/// Axes of the tokens of a document and of its sentences.
std::vector<Axis> DocumentAxes(const Vocabulary& vocabulary,
                               MarkedDocument document) {
  Axis tokens = InputTokenAxis("source", "Document", vocabulary, document.ids,
                               std::move(document.pieces));
  Axis sentences =
      NamesAxis(kSentencesAxis, "Sentences", std::move(document.sentence_of));
  tokens.kind = sentences.kind = "document";
  sentences.of = tokens.id;
  int64_t begin = 0;
  for (const int32_t size : document.sentences) {
    sentences.spans.push_back({begin, begin + size});
    begin += size;
  }
  // No word continues in the next sentence.
  for (const ItemRange& span : sentences.spans) {
    for (size_t w = 0; w < tokens.words.size(); ++w) {
      const ItemRange word = tokens.words[w];
      if (word.begin >= span.begin || word.end <= span.begin) continue;
      tokens.words[w].end = span.begin;
      tokens.words.insert(tokens.words.begin() + static_cast<long>(w) + 1,
                          {span.begin, word.end});
    }
  }
  return {std::move(tokens), std::move(sentences)};
}

/// Adds the composed attention from the answer to tokens via sentences.
void AddWayThroughSentences(ExplanationSegment& e) {
  const auto sentences = e.LastMap("answer", kSentencesAxis);
  const auto words = e.LastMap(kSentencesAxis, "source");
  if (!sentences || !words) return;
  e.maps.push_back(ComposedMap(e.maps[*sentences], e.maps[*words],
                               "document_attention", "Words of the document"));
}

std::vector<Axis> ClassifyPredictor::InputAxes(const LabelledText& text) const {
  const DataConfig& data = model_.config.data;
  if (!model_.documents()) {
    MarkedText marked = MarkText(model_.vocabulary, text.text[0],
                                 text.pairs() ? &text.second[0] : nullptr,
                                 {data.max_length, data.vocabulary.lowercase});
    return {InputTokenAxis("source", "Text", model_.vocabulary, marked.ids,
                           std::move(marked.pieces))};
  }
  return DocumentAxes(
      model_.vocabulary,
      MarkDocument(model_.vocabulary, text.text[0], SentencesOf(text, 0),
                   data.max_length, data.vocabulary.lowercase));
}

/// Logarithms of probabilities [1, C].
Tensor LogOf(const Tensor& probabilities) {
  Tensor logs({1, probabilities.dim(1)});
  for (int64_t c = 0; c < logs.dim(1); ++c) {
    logs.data<float>()[c] = std::log(probabilities.row<float>(0)[c]);
  }
  return logs;
}

/// Adds axes of the predicted labels and returns the labels as one text.
/// Pooling gives one vector for all labels.
std::string AddLabelAxes(AnswerSlots& slots, std::vector<Axis>& axes) {
  std::vector<std::string> names;
  for (const int32_t label : slots.chosen) names.push_back(slots.name(label));
  std::string answer = fmt::format("{}", fmt::join(names, ","));
  axes.push_back(NamesAxis("answer", "Label", {answer}));
  if (names.size() != 1) {
    slots.axis = "target";
    axes.push_back(NamesAxis("target", "Labels", std::move(names)));
  }
  return answer;
}

/// Answer slots with log p of each label, or with independent scores if there
/// may be several labels.
AnswerSlots ClassifyPredictor::SlotsOf(const RunOfCopies& scores) const {
  const auto log_p = [scores, several = model_.network.multi_label()](
                         const Context& c, int64_t copies) {
    const Var all = scores(c, copies);
    return several ? all : LogSoftmax(all);
  };
  return {"answer",
          {},
          [this](int32_t id) { return model_.labels.Name(id); },
          log_p,
          {}};
}

ExplainablePrediction ClassifyPredictor::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    const Prediction& options) const {
  LabelledText text;
  Add(input.Text(), "explain", text);
  const auto corpus = std::make_shared<LabelledCorpus>(
      model_.Encode(text, /*with_labels=*/false));
  const auto scores = [this, corpus](const Context& c, int64_t copies) {
    return model_.network.Scores(
        c, InputOf(MakeLabelledBatch(*corpus, Repeated(copies))));
  };
  AnswerSlots slots = SlotsOf(scores);
  InputWatch watch(input.watch, input.inputs);
  const Context ctx = ObservedBy(watch, given);
  const Tensor p = model_.network.Probabilities(scores(ctx, 1).value());
  slots.rows = LogOf(p);
  slots.chosen = input.answer.empty()
                     ? model_.network.Choose(p, options.threshold).at(0)
                     : std::vector{model_.labels.Id(input.answer)};
  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = input.Text();
  e.axes = InputAxes(text);
  e.answer = AddLabelAxes(slots, e.axes);
  AddMaps(watch, e);
  e.inputs = watch.Vectors();
  AddWayThroughSentences(e);
  // Map of the pooling: weights of the tokens, or attention of the first token.
  const bool first = model_.config.classifier.pooling == PoolingKind::kCls;
  slots.map = e.LastMap(first ? "source" : "answer", "source");
  slots.map_rows.assign(slots.chosen.size(), 0);
  AddTargets(slots, e);
  result.scores.push_back(ScoresOf(e, slots));
  result.scores.back().log_probability = !model_.network.multi_label();
  if (!input.contrast.empty() && !slots.chosen.empty()) {
    const int32_t other = model_.labels.Id(input.contrast);
    SetChoiceContrast(result, 0, slots.chosen[0],
                      {input.contrast, p.row<float>(0)[other]}, other,
                      slots.log_p);
  }
  return {e.answer, {std::move(result)}};
}

}  // namespace

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& model,
                                                   Prediction options) const {
  return std::make_unique<ClassifyPredictor>(model, options);
}

}  // namespace heed::classify
