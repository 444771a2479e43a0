#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/models/text_encoder.h"
#include "heed/ops/loss.h"
#include "heed/tasks/autocomplete.h"

namespace heed {

/// The word that is guessed after the last character, or another one.
ExplainablePrediction AutocompleteTask::PrepareExplanation(
    const Context& given, const ExplainInput& input) const {
  const std::string typed = TypedText(input.text, ParseTypedForm(data.form));
  auto characters = Utf8Characters(typed);
  if (std::ssize(characters) > data.length) {
    characters.erase(characters.begin(), characters.end() - data.length);
  }
  const std::vector<int32_t> ids =
      codec_->Characters(fmt::format("{}", fmt::join(characters, "")));
  const int64_t T = std::ssize(ids);
  const auto scores = [this, ids, T](const Context& c, int64_t copies) {
    std::vector<int32_t> last;
    for (int64_t i = 0; i < copies; ++i) {
      last.push_back(static_cast<int32_t>((i + 1) * T - 1));
    }
    const Tensor lengths =
        Tensor::Full({copies}, static_cast<double>(T), DType::kI32);
    return LogSoftmax(model_->Scores(
        c, StatesAt(model_->States(c, RepeatedRows(ids, copies), lengths),
                    Tensor::Of(last, {copies}))));
  };
  AttentionWatch watch(input.watch);
  Context ctx = given;
  ctx.observer = &watch;
  const Tensor log_p = scores(ctx, 1).value();
  const auto id_of = [&](const std::string& word) {
    for (int64_t id = 0; id < codec_->word_count(); ++id) {
      if (codec_->Word(id) == word) return static_cast<int32_t>(id);
    }
    throw FormatError(
        fmt::format("explain: the model does not know the word '{}'", word));
  };
  std::vector<int32_t> words;
  if (!input.answer.empty()) {
    words.push_back(id_of(input.answer));
  } else {
    for (const Suggestion& suggestion :
         SuggestAll(given, {input.text}, best_).front()) {
      words.push_back(id_of(suggestion.word));
    }
  }
  const auto name = [this](int32_t id) { return codec_->Word(id); };
  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = input.text;
  e.axes.push_back(
      NamesAxis("source", "Typed", {characters.begin(), characters.end()}));
  std::vector<std::string> names;
  for (const int32_t word : words) names.push_back(name(word));
  e.answer = fmt::format("{}", fmt::join(names, " "));
  e.axes.push_back(NamesAxis("target", "Completions", std::move(names)));
  AddMaps(watch, e);
  const std::span<const float> row(log_p.row<float>(0),
                                   static_cast<size_t>(log_p.dim(1)));
  for (size_t i = 0; i < words.size(); ++i) {
    e.targets.push_back(
        ChoiceTarget("target", static_cast<int64_t>(i), row, words[i], name));
    SetMap(e.targets.back(), e.LastMap("source", "source"), T - 1);
  }
  result.scores.push_back(
      SourceScores(e, [scores, words](const Context& c, int64_t copies) {
        return ChosenColumns(scores(c, copies), words);
      }));
  if (!input.contrast.empty()) {
    const int32_t other = id_of(input.contrast);
    SetChoiceContrast(
        result, 0, words.at(0),
        {input.contrast, std::exp(row[static_cast<size_t>(other)])}, other,
        scores);
  }
  return {e.answer, {std::move(result)}};
}

}  // namespace heed
