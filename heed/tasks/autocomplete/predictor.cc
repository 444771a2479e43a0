#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/models/text_encoder.h"
#include "heed/ops/loss.h"
#include "heed/tasks/autocomplete/autocomplete.h"
#include "heed/tasks/choice.h"

namespace heed::autocomplete {
namespace {

class AutocompletePredictor : public PredictorWith<Prediction> {
 public:
  AutocompletePredictor(const Model& model, Prediction options)
      : PredictorWith(options), model_(model) {}

 protected:
  /// Predicts the most probable words of each text.
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const Prediction& options,
                              const PredictCall& call) const override;
  ExplainablePrediction PrepareExplanation(
      const Context& given, const ExplainInput& input,
      const Prediction& options) const override;
  bool joins_inputs(const Prediction&) const override { return true; }

 private:
  int32_t IdOf(const std::string& word) const;
  std::vector<int32_t> WordsToExplain(const Context& given,
                                      const ExplainInput& input,
                                      const Prediction& options) const;
  RunOfCopies LogP(const std::vector<int32_t>& ids) const;
  std::vector<int32_t> OthersOf(std::vector<int32_t> words,
                                const std::string& contrast) const;

  const Model& model_;
};

std::vector<Answer> AutocompletePredictor::Predict(
    std::span<const Input> inputs, const Prediction& options,
    const PredictCall& call) const {
  std::vector<std::string> texts;
  for (const Input& input : inputs) texts.push_back(input.Text());
  std::vector<Answer> answers;
  for (const std::vector<Suggestion>& suggestions :
       model_.Suggest(call.context(), texts, options.best)) {
    CandidateList words("completions", "word");
    for (const Suggestion& s : suggestions) words.Add(s.word, s.probability);
    answers.push_back(words.answer());
  }
  return answers;
}

int32_t AutocompletePredictor::IdOf(const std::string& word) const {
  for (int64_t id = 0; id < model_.codec.word_count(); ++id) {
    if (model_.codec.Word(id) == word) return static_cast<int32_t>(id);
  }
  throw FormatError("explain: the model does not know the word '{}'", word);
}

/// The requested word, or the most probable words.
std::vector<int32_t> AutocompletePredictor::WordsToExplain(
    const Context& given, const ExplainInput& input,
    const Prediction& options) const {
  if (!input.answer.empty()) return {IdOf(input.answer)};
  std::vector<int32_t> words;
  const auto found = model_.Suggest(given, {input.Text()}, options.best);
  for (const Suggestion& suggestion : found.front()) {
    words.push_back(IdOf(suggestion.word));
  }
  return words;
}

/// log p of each word after the last of these characters [copies, words].
RunOfCopies AutocompletePredictor::LogP(const std::vector<int32_t>& ids) const {
  return [this, ids, T = std::ssize(ids)](const Context& c, int64_t copies) {
    std::vector<int32_t> last;
    for (int64_t i = 0; i < copies; ++i) {
      last.push_back(static_cast<int32_t>((i + 1) * T - 1));
    }
    const Tensor lengths =
        Tensor::Full({copies}, static_cast<double>(T), DType::kI32);
    return LogSoftmax(model_.network.Scores(
        c,
        StatesAt(model_.network.States(c, RepeatedRows(ids, copies), lengths),
                 Tensor::Of(last, {copies}))));
  };
}

/// Explains the word predicted after the last character, or a requested word.
ExplainablePrediction AutocompletePredictor::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    const Prediction& options) const {
  const TypingCodec& codec = model_.codec;
  const std::string typed = model_.LastTyped(input.Text());
  const auto characters = Utf8Characters(typed);
  const std::vector<int32_t> ids = codec.Characters(typed);
  const RunOfCopies scores = LogP(ids);
  AttentionWatch watch(input.watch);
  const Context ctx = ObservedBy(watch, given);
  AnswerSlots slots = {"target",
                       {},
                       [&codec](int32_t id) { return codec.Word(id); },
                       scores,
                       scores(ctx, 1).value()};
  slots.chosen = WordsToExplain(given, input, options);
  slots.queries = "source";
  slots.map_rows.assign(slots.chosen.size(), std::ssize(ids) - 1);
  std::vector<std::string> names;
  for (const int32_t word : slots.chosen) names.push_back(codec.Word(word));
  const std::string answer = fmt::format("{}", fmt::join(names, " "));
  ExplainableSegment result =
      ExplainSlots(input,
                   {InputTokenAxis("source", "Typed", codec.characters(), ids,
                                   {characters.begin(), characters.end()}),
                    NamesAxis("target", "Completions", std::move(names))},
                   answer, watch, slots);
  if (!input.contrast.empty()) {
    ContrastSlots(slots, OthersOf(slots.chosen, input.contrast), result);
  }
  return {answer, {std::move(result)}};
}

/// Words of a contrast: a single word replaces the first; a full list differs
/// in one place.
std::vector<int32_t> AutocompletePredictor::OthersOf(
    std::vector<int32_t> words, const std::string& contrast) const {
  const auto requested = SplitWhitespace(contrast);
  if (requested.size() != words.size()) {
    words.at(0) = IdOf(contrast);
    return words;
  }
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = IdOf(std::string(requested[i]));
  }
  return words;
}

}  // namespace

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& model,
                                                   Prediction options) const {
  return std::make_unique<AutocompletePredictor>(model, options);
}

}  // namespace heed::autocomplete
