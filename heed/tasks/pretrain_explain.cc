#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "heed/base/errors.h"
#include "heed/kernels/gather.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/tasks/pretrain.h"

namespace heed {
namespace {

/// Row 0 of every tensor, `copies` times.
BertText RepeatedText(const BertText& text, int64_t copies) {
  const Tensor rows = Tensor::Zeros({copies}, DType::kI32);
  return {kernels::Gather(text.ids, rows), kernels::Gather(text.lengths, rows),
          kernels::Gather(text.segments, rows)};
}

/// The place of each mark in each copy of a text of S tokens.
Tensor PlacesOf(const std::vector<int32_t>& marks, int64_t S, int64_t copies) {
  std::vector<int32_t> places;
  for (int64_t i = 0; i < copies; ++i) {
    for (const int32_t mark : marks) {
      places.push_back(mark + static_cast<int32_t>(i * S));
    }
  }
  return Tensor::Of(places, {std::ssize(places)});
}

}  // namespace

ExplainablePrediction PretrainTask::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    AttentionWatch& watch) const {
  const bool pair = input.text.find('\t') != std::string::npos;
  const auto text = std::make_shared<BertText>(TextOf(input.text, pair, 1));
  const int64_t S = text->ids.dim(1);
  const int32_t* ids = text->ids.data<int32_t>();
  std::vector<int32_t> marks;  // where words are hidden
  for (int32_t s = 0; s < S; ++s) {
    if (ids[s] == vocabulary_->special().mask) marks.push_back(s);
  }
  Context ctx = given;
  ctx.observer = &watch;
  const Var states = model_->States(ctx, *text);
  ExplainablePrediction e;
  std::vector<int32_t> words;
  if (!marks.empty()) {
    const Tensor scores =
        model_->TokenLogits(ctx, states, PlacesOf(marks, S, 1)).value();
    for (int64_t r = 0; r < scores.dim(0); ++r) {
      const float* row = scores.row<float>(r);
      words.push_back(static_cast<int32_t>(
          std::max_element(row, row + scores.cols()) - row));
      e.target.push_back(vocabulary_->Piece(words.back()));
    }
  }
  for (int64_t s = 0; s < S; ++s) {
    e.source.push_back(vocabulary_->Piece(ids[s]));
  }
  e.answer = fmt::format("{}", fmt::join(e.target, " "));
  e.alignment = LastSelfAttention(watch);
  e.alignment_rows.assign(marks.begin(), marks.end());
  e.scores.tokens = S;
  e.scores.targets = std::ssize(words);
  e.scores.scores = [this, text, marks, words, S](const Context& c,
                                                  int64_t copies) {
    const Var y = LogSoftmax(
        model_->TokenLogits(c, model_->States(c, RepeatedText(*text, copies)),
                            PlacesOf(marks, S, copies)));
    const int64_t V = y.value().cols();
    return Pick(Reshape(y, {copies, std::ssize(words), V}),
                RepeatedRows(words, copies));
  };
  return e;
}

}  // namespace heed
