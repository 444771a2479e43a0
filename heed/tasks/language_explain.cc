#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/tasks/language.h"

namespace heed {

ExplainablePrediction LanguageTask::PrepareExplanation(
    const Context& given, const ExplainInput& input) const {
  const auto fold = [this](const std::string& line) {
    return data.vocabulary.lowercase ? Lowercase(line) : line;
  };
  const Encoded text = vocabulary_->EncodeWithPieces(fold(input.text));
  if (text.ids.empty()) throw FormatError("explain: the text has no words");
  const int64_t T = std::ssize(text.ids) + 1;
  std::vector<int32_t> read = {kBos};
  read.insert(read.end(), text.ids.begin(), text.ids.end());
  const auto log_p = [this, read, T](const Context& c, int64_t copies) {
    std::vector<int32_t> ids;  // [T, copies]
    for (const int32_t id : read) {
      ids.insert(ids.end(), static_cast<size_t>(copies), id);
    }
    return LogSoftmax(model_->Logits(c, {}, Tensor::Of(ids, {T, copies})));
  };
  AttentionWatch watch(input.watch);
  Context ctx = given;
  ctx.observer = &watch;
  const Tensor all = log_p(ctx, 1).value();  // [T, 1, V]
  const auto row_of = [&](int64_t t) {
    return std::span(all.row<float>(t), static_cast<size_t>(all.cols()));
  };
  const auto first_token = [&](const std::string& line) {
    const std::vector<int32_t> ids = vocabulary_->Encode(fold(line));
    if (ids.empty()) throw FormatError("explain: the answer has no words");
    return ids[0];
  };
  // Each token was to be predicted, and then the likeliest next one.
  const std::span<const float> last = row_of(T - 1);
  std::vector<int32_t> predicted = text.ids;
  predicted.push_back(
      input.answer.empty()
          ? static_cast<int32_t>(
                std::max_element(last.begin() + kUnk + 1, last.end()) -
                last.begin())
          : first_token(input.answer));

  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = input.text;
  std::vector<std::string> pieces = {vocabulary_->Piece(kBos)};
  pieces.insert(pieces.end(), text.pieces.begin(), text.pieces.end());
  e.axes.push_back(
      TokenAxis("source", "Text", *vocabulary_, read, std::move(pieces)));
  pieces = text.pieces;
  pieces.push_back(vocabulary_->Piece(predicted.back()));
  e.axes.push_back(TokenAxis("target", "Predicted", *vocabulary_, predicted,
                             std::move(pieces)));
  if (input.answer.empty()) {
    std::istringstream in(input.text + "\n");
    std::ostringstream out;
    PredictStream(*this, given, in, out);
    e.answer = out.str();
    while (e.answer.ends_with('\n')) e.answer.pop_back();
  } else {
    e.answer = input.answer;
  }
  AddMaps(watch, e);
  const auto name = [this](int32_t id) { return vocabulary_->Piece(id); };
  for (int64_t t = 0; t < T; ++t) {
    e.targets.push_back(ChoiceTarget("target", t, row_of(t),
                                     predicted[static_cast<size_t>(t)], name));
    SetMap(e.targets.back(), e.LastMap("source", "source"), t);
  }
  result.scores.push_back(
      SourceScores(e, [log_p, predicted](const Context& c, int64_t copies) {
        return Pick(TransposeLeading(log_p(c, copies)),
                    RepeatedRows(predicted, copies));
      }));
  if (!input.contrast.empty()) {
    const int32_t other = first_token(input.contrast);
    SetChoiceContrast(result, static_cast<size_t>(T - 1), predicted.back(),
                      {name(other), std::exp(last[static_cast<size_t>(other)])},
                      other, [log_p, T](const Context& c, int64_t copies) {
                        return Select(log_p(c, copies), T - 1);
                      });
  }
  return {e.answer, {std::move(result)}};
}

}  // namespace heed
