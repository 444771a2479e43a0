#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/tasks/tag.h"

namespace heed {

ExplainablePrediction TagTask::PrepareExplanation(const Context& given,
                                                  const ExplainInput& input,
                                                  AttentionWatch& watch) const {
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
  Context ctx = given;
  ctx.observer = &watch;
  const TagPrediction p = model_->Predict(ctx, batch);
  const int64_t T = std::ssize(words);
  std::vector<int32_t> tags(p.tags.row<int32_t>(0), p.tags.row<int32_t>(0) + T);
  const int32_t intent = intents_ ? p.intents.data<int32_t>()[0] : -1;

  ExplainablePrediction e;
  Tagged answer;
  for (const int32_t tag : tags) {
    e.target.push_back(tags_->Name(tag));
    answer.tags.push_back(tags_->Name(tag));
  }
  answer.probabilities.assign(tags.size(), 0);
  for (int64_t t = 0; t < T; ++t) {
    answer.probabilities[static_cast<size_t>(t)] =
        p.tag_probabilities.To(DType::kF64).row<double>(0)[t];
  }
  if (pieces.ids.defined()) {
    e.source = words_->Tokens(sentence[0].words);
    const int32_t* first = pieces.first.row<int32_t>(0);
    e.alignment_rows.assign(first, first + T);
  } else {
    e.source = sentence[0].words;
    e.alignment_rows = EachRow(T);
  }
  if (intents_) {
    answer.intent = intents_->Name(intent);
    e.target.push_back(answer.intent);
    e.alignment_rows.push_back(-1);
    e.target_inputs = {answer.intent};
  }
  e.answer = LineOf(answer);
  // Attention pools words to the intent, and else lets them see each other.
  e.alignment = LastSelfAttention(watch);
  if (e.alignment.empty() && intents_) {
    e.alignment = PoolingAttention(watch);
    e.alignment_rows.assign(static_cast<size_t>(T), -1);
    e.alignment_rows.push_back(0);
  }
  e.scores.tokens = std::ssize(e.source);
  e.scores.targets = std::ssize(e.target);
  e.scores.scores = [this, repeated, tags, intent](const Context& c,
                                                   int64_t copies) {
    const TagScores scores = model_->Scores(c, repeated(copies));
    const Var p_tags = LogSoftmax(scores.tags);
    Var y = Pick(p_tags, RepeatedRows(tags, copies));
    if (intent < 0) return y;
    return ConcatColumns(
        {y, Columns(LogSoftmax(scores.intents), intent, intent + 1)});
  };
  return e;
}

}  // namespace heed
