#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/models/text_encoder.h"
#include "heed/ops/loss.h"
#include "heed/tasks/autocomplete.h"

namespace heed {

/// The word that is guessed after the last character, or another one.
ExplainablePrediction AutocompleteTask::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    AttentionWatch& watch) const {
  const std::vector<Suggestion> best =
      SuggestAll(given, {input.text}, best_).front();
  const std::string typed = TypedText(input.text, ParseTypedForm(data.form));
  auto characters = Utf8Characters(typed);
  if (std::ssize(characters) > data.length) {
    characters.erase(characters.begin(), characters.end() - data.length);
  }
  ExplainablePrediction e;
  e.source.assign(characters.begin(), characters.end());
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
  Context ctx = given;
  ctx.observer = &watch;
  scores(ctx, 1);
  std::vector<int32_t> words;
  const auto add = [&](const std::string& word) {
    for (int64_t id = 0; id < codec_->word_count(); ++id) {
      if (codec_->Word(id) == word) words.push_back(static_cast<int32_t>(id));
    }
  };
  if (input.answer.empty()) {
    for (const Suggestion& suggestion : best) add(suggestion.word);
  } else {
    add(input.answer);
    if (words.empty()) {
      throw FormatError(fmt::format(
          "explain: the model does not know the word '{}'", input.answer));
    }
  }
  for (const int32_t word : words) e.target.push_back(codec_->Word(word));
  e.answer = fmt::format("{}", fmt::join(e.target, " "));
  e.alignment = LastSelfAttention(watch);
  e.alignment_rows.assign(words.size(), T - 1);
  e.scores.tokens = T;
  e.scores.targets = std::ssize(words);
  e.scores.scores = [scores, words](const Context& c, int64_t copies) {
    return ChosenColumns(scores(c, copies), words);
  };
  return e;
}

}  // namespace heed
