#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/ops/loss.h"
#include "heed/tasks/choice.h"
#include "heed/tasks/read/read.h"

namespace heed::read {
namespace {

constexpr size_t kAnswersInParts = 5;

/// Predicts a word of the passage.
class PassagePredictor : public PredictorWith<Prediction> {
 public:
  PassagePredictor(const Model& model, Prediction options)
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
  /// Encodes questions. Throws: FormatError if a passage has no candidate.
  PassageCorpus CorpusOf(std::span<const PassageQuestion> questions) const;
  ExplainableSegment SegmentOf(const Context& given, const ExplainInput& input,
                               const PassageQuestion& question) const;
  /// Id of the candidate with this name. Throws: FormatError.
  int32_t CandidateNamed(const PassageText& text,
                         const std::string& name) const;

  const Model& model_;
};

/// Parses one question, or the questions of a story with numbered lines.
std::vector<PassageQuestion> QuestionsOf(const Input& input,
                                         PassageFormat format) {
  const std::string text = input.Text();
  const bool numbered = format == PassageFormat::kAuto
                            ? IsNumberedStory(text)
                            : format != PassageFormat::kJsonl;
  if (numbered) return ParseStoryQuestions(text, input.place, format);
  return {ParsePassageQuestion(text, input.place)};
}

PassageCorpus PassagePredictor::CorpusOf(
    std::span<const PassageQuestion> questions) const {
  PassageCorpus corpus = model_.Encode(questions);
  for (size_t i = 0; i < corpus.texts.size(); ++i) {
    if (corpus.texts[i].candidates.empty()) {
      throw FormatError("{}: no candidate is a word of the passage",
                        questions[i].place);
    }
  }
  model_.WarnOfCut(corpus);
  return corpus;
}

/// Joins the answers to the questions of each input into one answer.
std::vector<Answer> JoinedAnswers(std::vector<Answer> all,
                                  const std::vector<size_t>& ends) {
  std::vector<Answer> joined;
  size_t at = 0;
  for (const size_t end : ends) {
    if (end == at + 1) {
      joined.push_back(std::move(all[at++]));
      continue;
    }
    Answer& answer = joined.emplace_back();
    answer.parts["questions"] = nlohmann::ordered_json::array();
    for (; at < end; ++at) {
      if (!answer.line.empty()) answer.line += '\n';
      answer.line += all[at].line;
      answer.parts["questions"].push_back(std::move(all[at].parts));
    }
  }
  return joined;
}

std::vector<Answer> PassagePredictor::Predict(std::span<const Input> inputs,
                                              const Prediction& options,
                                              const PredictCall& call) const {
  std::vector<PassageQuestion> questions;
  std::vector<size_t> ends;  // index after the last question of each input
  for (const Input& input : inputs) {
    std::ranges::move(QuestionsOf(input, options.format),
                      std::back_inserter(questions));
    ends.push_back(questions.size());
  }
  const PassageCorpus corpus = CorpusOf(questions);
  const auto log_p = model_.LogProbabilities(call.context(), corpus);
  const auto max = static_cast<size_t>(options.answers);
  std::vector<Answer> all;
  for (size_t i = 0; i < log_p.size(); ++i) {
    std::vector<size_t> order(log_p[i].size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, std::greater<>(),
                             [&, i](size_t c) { return log_p[i][c]; });
    CandidateList line("answers", "answer"), parts("answers", "answer");
    for (size_t k = 0; k < order.size(); ++k) {
      const std::string& word = corpus.texts[i].candidates[order[k]];
      const double p = std::exp(double{log_p[i][order[k]]});
      if (k < max) line.Add(word, p);
      if (k < std::max(max, kAnswersInParts)) parts.Add(word, p);
    }
    all.push_back(parts.answer());
    all.back().line = max > 1 ? line.answer().line
                              : corpus.texts[i].candidates[order.front()];
  }
  return JoinedAnswers(std::move(all), ends);
}

int32_t PassagePredictor::CandidateNamed(const PassageText& text,
                                         const std::string& name) const {
  const auto key = [this](const std::string& word) {
    return model_.config.data.vocabulary.lowercase ? Lowercase(word) : word;
  };
  for (size_t c = 0; c < text.candidates.size(); ++c) {
    if (key(text.candidates[c]) == key(name)) return static_cast<int32_t>(c);
  }
  throw FormatError("explain: '{}' is no candidate of the passage", name);
}

/// Axes of the passage, its sentences, and the question.
std::vector<Axis> AxesOfPassage(const PassageText& text) {
  Axis words = {.id = "source", .kind = "passage", .label = "Passage"};
  words.items = text.words;
  Axis sentences = {.id = "sentences", .kind = "passage", .label = "Sentences"};
  sentences.of = words.id;
  for (size_t r = 0; r < text.sentences.size(); ++r) {
    const int64_t begin = text.sentences[r];
    const int64_t end =
        r + 1 < text.sentences.size() ? text.sentences[r + 1] : words.size();
    sentences.spans.push_back({begin, end});
    sentences.items.push_back(fmt::format("sentence {}", r + 1));
  }
  Axis question = NamesAxis("question", "Question", text.question);
  return {std::move(words), std::move(sentences), std::move(question)};
}

ExplainablePrediction PassagePredictor::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    const Prediction& options) const {
  const std::vector<PassageQuestion> questions =
      QuestionsOf(input.given, options.format);
  ExplainablePrediction prediction;
  for (const PassageQuestion& question : questions) {
    prediction.segments.push_back(SegmentOf(given, input, question));
    if (questions.size() > 1) {
      prediction.segments.back().segment.text =
          fmt::format("{}\t{}", question.passage, question.question);
    }
    if (!prediction.answer.empty()) prediction.answer += '\n';
    prediction.answer += prediction.segments.back().segment.answer;
  }
  return prediction;
}

ExplainableSegment PassagePredictor::SegmentOf(
    const Context& given, const ExplainInput& input,
    const PassageQuestion& question) const {
  const auto corpus =
      std::make_shared<PassageCorpus>(CorpusOf(std::span(&question, 1)));
  const PassageText& text = corpus->texts.front();
  const auto log_p = [this, corpus](const Context& ctx, int64_t copies) {
    return LogSoftmax(
        model_.network->Scores(ctx, model_.BatchOf(*corpus, Repeated(copies))));
  };
  ExplainableSegment result = ExplainChoice(
      given, input, AxesOfPassage(text),
      {"Answer", [&text](int32_t c) { return At(text.candidates, c); },
       [&](const std::string& name, const char* /*place*/) {
         return CandidateNamed(text, name);
       },
       log_p});
  result.segment.text = input.Text();
  return result;
}

}  // namespace

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& made,
                                                   Prediction options) const {
  return std::make_unique<PassagePredictor>(made, options);
}

}  // namespace heed::read
