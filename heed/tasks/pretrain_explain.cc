#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/kernels/gather.h"
#include "heed/ops/elementwise.h"
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
    const Context& given, const ExplainInput& input) const {
  const bool pair = input.text.find('\t') != std::string::npos;
  const auto text = std::make_shared<BertText>(TextOf(input.text, pair, 1));
  const int64_t S = text->ids.dim(1);
  const std::vector<int32_t> ids = text->ids.ToVector<int32_t>();
  std::vector<int32_t> marks;  // where words are hidden
  for (int32_t s = 0; s < S; ++s) {
    if (ids[static_cast<size_t>(s)] == vocabulary_->special().mask) {
      marks.push_back(s);
    }
  }
  const auto words_of = [&](const std::string& line) {
    std::vector<int32_t> words = vocabulary_->Encode(line);
    if (words.size() != marks.size()) {
      throw FormatError(
          fmt::format("explain: '{}' is {} for {}; give one token for each",
                      line, Counted(std::ssize(words), "token"),
                      Counted(std::ssize(marks), "mask")));
    }
    return words;
  };
  // log p of each token of the vocabulary at each mark: [copies, marks, V].
  const auto log_p = [this, text, marks, S](const Context& c, int64_t copies) {
    const Var y = LogSoftmax(
        model_->TokenLogits(c, model_->States(c, RepeatedText(*text, copies)),
                            PlacesOf(marks, S, copies)));
    return Reshape(y, {copies, std::ssize(marks), y.value().cols()});
  };
  AttentionWatch watch(input.watch);
  Context ctx = given;
  ctx.observer = &watch;
  Tensor all;
  if (marks.empty()) {
    model_->States(ctx, *text);
  } else {
    all = log_p(ctx, 1).value();
  }
  const auto row_of = [&](size_t mark) {
    return std::span(all.row<float>(static_cast<int64_t>(mark)),
                     static_cast<size_t>(all.cols()));
  };
  std::vector<int32_t> words;
  if (!input.answer.empty()) words = words_of(input.answer);
  for (size_t m = words.size(); m < marks.size(); ++m) {
    const std::span<const float> row = row_of(m);
    words.push_back(
        static_cast<int32_t>(std::ranges::max_element(row) - row.begin()));
  }
  const auto name = [this](int32_t id) { return vocabulary_->Piece(id); };
  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = input.text;
  e.axes.push_back(TokenAxis("source", "Text", *vocabulary_, ids));
  e.axes.push_back(TokenAxis("target", "Hidden words", *vocabulary_, words));
  e.answer = fmt::format("{}", fmt::join(e.axes.back().items, " "));
  AddMaps(watch, e);
  for (size_t m = 0; m < marks.size(); ++m) {
    e.targets.push_back(ChoiceTarget("target", static_cast<int64_t>(m),
                                     row_of(m), words[m], name));
    SetMap(e.targets.back(), e.LastMap("source", "source"), marks[m]);
  }
  result.scores.push_back(
      SourceScores(e, [log_p, words](const Context& c, int64_t copies) {
        return Pick(log_p(c, copies), RepeatedRows(words, copies));
      }));
  if (!input.contrast.empty()) {
    const std::vector<int32_t> others = words_of(input.contrast);
    const auto differing = std::ranges::mismatch(words, others).in1;
    if (differing == words.end()) {
      throw FormatError("explain: the contrast is the answer itself");
    }
    const auto m = static_cast<size_t>(differing - words.begin());
    SetChoiceContrast(
        result, m, words[m],
        {name(others[m]), std::exp(row_of(m)[static_cast<size_t>(others[m])])},
        others[m], [log_p, m](const Context& c, int64_t copies) {
          return Select(TransposeLeading(log_p(c, copies)),
                        static_cast<int64_t>(m));
        });
  }
  return {e.answer, {std::move(result)}};
}

}  // namespace heed
