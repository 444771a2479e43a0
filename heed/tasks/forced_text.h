// Teacher forcing of a text, to explain how a decoder produced it.
#ifndef HEED_TASKS_FORCED_TEXT_H_
#define HEED_TASKS_FORCED_TEXT_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/models/decoder.h"
#include "heed/tasks/explainable_prediction.h"
#include "heed/text/vocabulary.h"

namespace heed {

struct ForcedText {
  std::string label;  ///< label of the axis: "Translation"
  Encoded target;     ///< ends with </s>
  /// Contrast: another text that ends with </s>; empty: none.
  std::vector<int32_t> contrast = {};
  /// Tokens of the source, if the model copies them.
  std::vector<std::string> source_pieces = {};
  /// Logits of all tokens given the previous ones, for each copy of the source:
  /// [T, copies, V].
  std::function<Var(const Context& ctx, int64_t copies)> logits;
};

/// Repeats the id of each step for all copies: i32 [n, copies].
Tensor RepeatedColumns(std::span<const int32_t> ids, int64_t copies);

/// Inputs of the decoder for a target: <s> and all tokens except the last.
std::vector<int32_t> ReadTokens(const Vocabulary& vocabulary,
                                std::span<const int32_t> target);

/// log p of each token of a text: [copies, T]. Shapes: logits [T, copies, V].
Var ForcedScores(const Var& logits, std::span<const int32_t> target);

/// Probability of each target token given the previous ones. Shapes: logits [T,
/// 1, V].
std::vector<float> ForcedProbabilities(const Var& logits,
                                       std::span<const int32_t> target);

/// Runs the text by teacher forcing, all steps at once. Adds to a segment with
/// source axes: the target axes, maps, targets and the functions that recompute
/// them, and the contrast at the first place where the texts differ. Throws:
/// FormatError if the texts are equal.
void ForceText(const Context& given, const AttentionWatch::Selector& select,
               const Decoder& model, const Vocabulary& vocabulary,
               ForcedText text, ExplainableSegment& result);

}  // namespace heed

#endif  // HEED_TASKS_FORCED_TEXT_H_
