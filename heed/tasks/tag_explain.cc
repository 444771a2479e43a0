#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/tasks/tag.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

std::vector<float> LogsOf(const Tensor& p, int64_t row) {
  const Tensor numbers = p.To(DType::kF32);
  std::vector<float> logs;
  for (int64_t c = 0; c < p.dim(-1); ++c) {
    logs.push_back(std::log(numbers.row<float>(row)[c]));
  }
  return logs;
}

}  // namespace

ExplainablePrediction TagTask::PrepareExplanation(
    const Context& given, const ExplainInput& input) const {
  const auto words = SplitWhitespace(input.text);
  if (words.empty()) throw FormatError("explain: the text has no words");
  const std::vector<TaggedSentence> sentence = {
      {{words.begin(), words.end()}, {}, {}}};
  const auto encoded = std::make_shared<Encoded>(Encode(sentence));
  const auto repeated = [this, encoded](int64_t copies) {
    return MakeBatch(*encoded, Repeated(copies));
  };
  const TagBatch batch = repeated(1);
  const PieceIds& pieces = batch.sentences.pieces;
  if (pieces.ids.defined() && pieces.ids.dim(0) > 1) {
    throw FormatError(fmt::format(
        "explain: the sentence is read in {} parts; explain a shorter one",
        pieces.ids.dim(0)));
  }
  AttentionWatch watch(input.watch);
  Context ctx = given;
  ctx.observer = &watch;
  const TagPrediction predicted = model_->Predict(ctx, batch);
  const TagScores p = model_->Probabilities(given, batch);
  const int64_t T = std::ssize(words);
  std::vector<int32_t> tags(predicted.tags.row<int32_t>(0),
                            predicted.tags.row<int32_t>(0) + T);
  const auto tags_of = [&](const std::string& line) {
    const auto names = SplitWhitespace(line);
    if (std::ssize(names) != T) {
      throw FormatError(fmt::format("explain: {} for {}",
                                    Counted(std::ssize(names), "tag"),
                                    Counted(T, "word")));
    }
    std::vector<int32_t> ids;
    for (const std::string_view name : names) ids.push_back(tags_->Id(name));
    return ids;
  };
  // A line is tags; with intents, an intent, or an intent, a tab and tags.
  struct Chosen {
    int32_t intent;
    std::vector<int32_t> tags;
  };
  const auto chosen_of = [&](const std::string& line, const Chosen& own) {
    if (line.empty()) return own;
    if (!intents_) return Chosen{-1, tags_of(line)};
    const size_t tab = line.find('\t');
    return Chosen{intents_->Id(line.substr(0, tab)),
                  tab == line.npos ? own.tags : tags_of(line.substr(tab + 1))};
  };
  const Chosen own = chosen_of(
      input.answer,
      {intents_ ? predicted.intents.data<int32_t>()[0] : -1, std::move(tags)});
  tags = own.tags;
  const int32_t intent = own.intent;

  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = input.text;
  e.axes.push_back(
      NamesAxis("source", "Text", words_->Tokens(sentence[0].words)));
  Axis said = NamesAxis("target", "Tags", {});
  Tagged answer;
  for (int64_t t = 0; t < T; ++t) {
    const auto i = static_cast<size_t>(t);
    answer.tags.push_back(tags_->Name(tags[i]));
    said.items.push_back(answer.tags.back());
    said.labels.push_back(
        fmt::format("{} · {}", sentence[0].words[i], answer.tags.back()));
  }
  e.axes.push_back(std::move(said));
  if (intents_) {
    answer.intent = intents_->Name(intent);
    e.axes.push_back(NamesAxis("answer", "Intent", {answer.intent}));
  }
  AddMaps(watch, e);
  // Words see each other, and attention pools them to the intent.
  const std::optional<size_t> between = e.LastMap("source", "source");
  const auto tag_name = [this](int32_t id) { return tags_->Name(id); };
  for (int64_t t = 0; t < T; ++t) {
    e.targets.push_back(ChoiceTarget("target", t, LogsOf(p.tags.value(), t),
                                     tags[static_cast<size_t>(t)], tag_name));
    answer.probabilities.push_back(*e.targets.back().probability);
    SetMap(e.targets.back(), between,
           pieces.ids.defined() ? pieces.first.row<int32_t>(0)[t] : t);
  }
  e.answer = LineOf(answer);
  if (intents_) {
    e.targets.push_back(
        ChoiceTarget("answer", 0, LogsOf(p.intents.value(), 0), intent,
                     [this](int32_t id) { return intents_->Name(id); }));
    SetMap(e.targets.back(), e.LastMap("answer", "source"), 0);
  }
  const auto log_p_tags = [this, repeated](const Context& c, int64_t copies) {
    return LogSoftmax(model_->Scores(c, repeated(copies)).tags);
  };
  result.scores.push_back(SourceScores(
      e, [this, repeated, tags, intent](const Context& c, int64_t copies) {
        const TagScores scores = model_->Scores(c, repeated(copies));
        const Var y = Pick(LogSoftmax(scores.tags), RepeatedRows(tags, copies));
        if (intent < 0) return y;
        return ConcatColumns(
            {y, Columns(LogSoftmax(scores.intents), intent, intent + 1)});
      }));
  if (input.contrast.empty()) return {e.answer, {std::move(result)}};
  const Chosen other = chosen_of(input.contrast, own);
  const auto contrast = [&](int64_t target, const Tensor& p_all, int64_t row,
                            const LabelSet& names, int32_t chosen,
                            int32_t instead, auto all_log_p) {
    SetChoiceContrast(
        result, static_cast<size_t>(target), chosen,
        {names.Name(instead),
         std::exp(LogsOf(p_all, row)[static_cast<size_t>(instead)])},
        instead, all_log_p);
  };
  if (other.intent != intent) {
    contrast(T, p.intents.value(), 0, *intents_, intent, other.intent,
             [this, repeated](const Context& c, int64_t copies) {
               return LogSoftmax(model_->Scores(c, repeated(copies)).intents);
             });
    return {e.answer, {std::move(result)}};
  }
  const auto differing = std::ranges::mismatch(tags, other.tags);
  if (differing.in1 == tags.end()) {
    throw FormatError("explain: the contrast is the answer itself");
  }
  const int64_t t = differing.in1 - tags.begin();
  contrast(t, p.tags.value(), t, *tags_, *differing.in1, *differing.in2,
           [log_p_tags, t](const Context& c, int64_t copies) {
             return Select(TransposeLeading(log_p_tags(c, copies)), t);
           });
  return {e.answer, {std::move(result)}};
}

}  // namespace heed
