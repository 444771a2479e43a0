#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/kernels/rowwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/tasks/language.h"

namespace heed {

ExplainablePrediction LanguageTask::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    AttentionWatch& watch) const {
  const std::string line =
      data.vocabulary.lowercase ? Lowercase(input.text) : input.text;
  const Encoded text = vocabulary_->EncodeWithPieces(line);
  if (text.ids.empty()) throw FormatError("explain: the text has no words");
  const int64_t T = std::ssize(text.ids) + 1;
  std::vector<int32_t> read = {kBos};
  read.insert(read.end(), text.ids.begin(), text.ids.end());
  const auto logits = [this, read, T](const Context& c, int64_t copies) {
    std::vector<int32_t> ids;  // [T, copies]
    for (const int32_t id : read) {
      ids.insert(ids.end(), static_cast<size_t>(copies), id);
    }
    return model_->Logits(c, {}, Tensor::Of(ids, {T, copies}));
  };
  Context ctx = given;
  ctx.observer = &watch;
  const Tensor last = logits(ctx, 1).value()[T - 1];
  const float* p = last.row<float>(0);
  // Each token was to be predicted, and then the likeliest next one.
  std::vector<int32_t> predicted = text.ids;
  predicted.push_back(static_cast<int32_t>(
      std::max_element(p + kUnk + 1, p + last.cols()) - p));

  ExplainablePrediction e;
  for (const int32_t id : read) e.source.push_back(vocabulary_->Piece(id));
  for (size_t i = 0; i < text.pieces.size(); ++i) {
    e.source[i + 1] = text.pieces[i];
  }
  e.target = text.pieces;
  e.target.push_back(vocabulary_->Piece(predicted.back()));
  std::istringstream in(input.text + "\n");
  std::ostringstream out;
  PredictStream(*this, given, in, out);
  e.answer = out.str();
  while (e.answer.ends_with('\n')) e.answer.pop_back();
  e.alignment = LastSelfAttention(watch);
  e.alignment_rows = EachRow(T);
  e.scores.tokens = T;
  e.scores.targets = T;
  e.scores.scores = [logits, predicted](const Context& c, int64_t copies) {
    const Var y = TransposeLeading(LogSoftmax(logits(c, copies)));
    return Pick(y, RepeatedRows(predicted, copies));
  };
  return e;
}

}  // namespace heed
