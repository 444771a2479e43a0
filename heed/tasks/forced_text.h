// A text that a decoder is made to write, to explain how it came to it.
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
  std::string label;  ///< of its axis: "Translation"
  Encoded target;     ///< ends with </s>
  /// Another text to compare with, which ends so too; none: empty.
  std::vector<int32_t> contrast = {};
  /// Scores of all tokens given those before them, of each copy of the source:
  /// [T, copies, V].
  std::function<Var(const Context& ctx, int64_t copies)> logits;
};

/// The ids of each step for all copies: i32 [n, copies].
Tensor RepeatedColumns(std::span<const int32_t> ids, int64_t copies);

/// What a decoder reads as it writes a text: <s>, and all but the last token.
std::vector<int32_t> ReadTokens(std::span<const int32_t> target);

/// log p of each token of a text: [copies, T]. Shapes: logits [T, copies, V].
Var ForcedScores(const Var& logits, std::span<const int32_t> target);

/// Of each token, given those before it. Shapes: logits [T, 1, V].
std::vector<float> ForcedProbabilities(const Var& logits,
                                       std::span<const int32_t> target);

/// Runs the text by teacher forcing: the computation that wrote it, all steps
/// at once. Adds to a segment that has its sources the axes of what is written,
/// maps, targets and how to compute them again, and the contrast at the first
/// place where the texts differ. Throws: FormatError if they do not differ.
void ForceText(const Context& given, const AttentionWatch::Wish& wish,
               const Decoder& model, const Vocabulary& vocabulary,
               ForcedText text, ExplainableSegment& result);

}  // namespace heed

#endif  // HEED_TASKS_FORCED_TEXT_H_
