// Documents by their sentences, and these by their words.
#ifndef HEED_RENDER_DOCUMENT_VIEW_H_
#define HEED_RENDER_DOCUMENT_VIEW_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/render/view.h"

namespace heed {

/// Weights at both levels: of the sentences of a document, and of the words of
/// each sentence. Shapes: sentences [R], words [S].
struct DocumentWeights {
  const Axis* sentences = nullptr;
  const Axis* words = nullptr;
  std::vector<float> of_sentences;  ///< p_s; they sum to 1
  std::vector<float> of_words;      ///< p_w; those of a sentence sum to 1

  /// √p_s p_w of each word: what matters in a sentence that matters little
  /// fades, but can be seen. Paper: Yang et al. 2016, section 3.6.
  std::vector<float> Shades() const;
};

/// Of a segment in which an axis covers another by its spans, attends to it and
/// is attended to; else nothing.
std::optional<DocumentWeights> DocumentWeightsOf(
    const ExplanationSegment& segment);

/// A row for each sentence: its weight as a bar on the left, its words shaded.
/// Of a long document, the sentences with the largest weights.
ExplanationView DocumentView();

/// Items of an axis in lines, one for each sentence where an axis of the
/// segment has them: [begin, end) of items.
std::vector<ItemRange> SentencesOfAxis(const ExplanationSegment& segment,
                                       const Axis& axis);

/// Places of the `most` largest weights, in their order.
std::vector<size_t> LargestInOrder(std::span<const float> weights, size_t most);

/// "… 3 sentences of less weight".
std::string LeftOutSentences(size_t count);

}  // namespace heed

#endif  // HEED_RENDER_DOCUMENT_VIEW_H_
