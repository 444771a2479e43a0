#include "heed/tasks/forced_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

/// log p of the target at `step` minus log p of `id` there: [copies, 1].
Var StepDifference(const Var& logits, std::span<const int32_t> target,
                   size_t step, int32_t id) {
  std::vector<int32_t> others(target.begin(), target.end());
  others[step] = id;
  const int64_t copies = logits.dim(1);
  const Var p = LogSoftmax(logits);
  const Var difference = Sub(Pick(p, RepeatedColumns(target, copies)),
                             Pick(p, RepeatedColumns(others, copies)));
  return Reshape(Select(difference, static_cast<int64_t>(step)), {copies, 1});
}

}  // namespace

Tensor RepeatedColumns(std::span<const int32_t> ids, int64_t copies) {
  Tensor all({std::ssize(ids), copies}, DType::kI32);
  for (int64_t t = 0; t < all.dim(0); ++t) {
    std::fill_n(all.row<int32_t>(t), copies, At(ids, t));
  }
  return all;
}

std::vector<int32_t> ReadTokens(const Vocabulary& vocabulary,
                                std::span<const int32_t> target) {
  std::vector<int32_t> read = {vocabulary.special().bos};
  read.insert(read.end(), target.begin(), target.end() - 1);
  return read;
}

std::vector<float> ForcedProbabilities(const Var& logits,
                                       std::span<const int32_t> target) {
  const Tensor log_p = ForcedScores(logits, target).value();
  std::vector<float> probabilities;
  for (int64_t t = 0; t < log_p.numel(); ++t) {
    probabilities.push_back(std::exp(log_p.row<float>(0)[t]));
  }
  return probabilities;
}

Var ForcedScores(const Var& logits, std::span<const int32_t> target) {
  const int64_t T = logits.dim(0), copies = logits.dim(1);
  const Var picked = Pick(LogSoftmax(logits), RepeatedColumns(target, copies));
  return Reshape(TransposeLeading(Reshape(picked, {T, copies, 1})),
                 {copies, T});
}

void ForceText(const Context& given, const AttentionWatch::Selector& select,
               const Decoder& model, const Vocabulary& vocabulary,
               ForcedText text, ExplainableSegment& result) {
  ExplanationSegment& e = result.segment;
  const std::vector<int32_t> target = std::move(text.target.ids);
  std::vector<std::string> pieces = std::move(text.target.pieces);
  const std::vector<int32_t> read = ReadTokens(vocabulary, target);
  std::vector<std::string> read_pieces = {vocabulary.Piece(read.front())};
  read_pieces.insert(read_pieces.end(), pieces.begin(), pieces.end() - 1);
  e.axes.push_back(
      TokenAxis("target", text.label, vocabulary, target, std::move(pieces)));
  AttentionWatch watch(select);
  const Context ctx = ObservedBy(watch, given);
  const Tensor log_p = LogSoftmax(text.logits(ctx, 1)).value();
  AddMaps(watch, e);
  if (e.LastMap("target_inputs", "target_inputs")) {
    e.axes.push_back(InputTokenAxis("target_inputs", text.label + " so far",
                                    vocabulary, read, std::move(read_pieces)));
  }
  const auto name = [&](int32_t id) {
    return ShownToken(vocabulary, id, text.source_pieces);
  };
  const std::string aligns = model.alignment_attention();
  const auto row_of = [&](size_t t) {
    return std::span(log_p.row<float>(static_cast<int64_t>(t)),
                     static_cast<size_t>(log_p.cols()));
  };
  for (size_t t = 0; t < target.size(); ++t) {
    const auto place = static_cast<int64_t>(t);
    e.targets.push_back(
        ChoiceTarget("target", place, row_of(t), target[t], name));
    if (aligns.empty()) continue;
    SetMap(e.targets.back(), MapNamed(e, aligns), place,
           model.alignment_head());
  }
  const auto logits = text.logits;
  result.scores.push_back(
      SourceScores(e, [logits, target](const Context& c, int64_t copies) {
        return ForcedScores(logits(c, copies), target);
      }));
  if (text.contrast.empty()) return;
  const auto differing = std::ranges::mismatch(target, text.contrast);
  if (differing.in1 == target.end() || differing.in2 == text.contrast.end()) {
    throw FormatError("explain: the contrast is the answer itself");
  }
  const auto step = static_cast<size_t>(differing.in1 - target.begin());
  const int32_t other = *differing.in2;
  SetContrast(result, step,
              {name(other), std::exp(double{At(row_of(step), other)})},
              [logits, target, step, other](const Context& c, int64_t copies) {
                return StepDifference(logits(c, copies), target, step, other);
              });
}

}  // namespace heed
