// View of documents with weights of sentences and words.
#ifndef HEED_RENDER_DOCUMENT_VIEW_H_
#define HEED_RENDER_DOCUMENT_VIEW_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/render/view.h"

namespace heed {

/// Weights of a document at both levels: its sentences, and the words of each
/// sentence. Shapes: sentences [R], words [S].
struct DocumentWeights {
  const Axis* sentences = nullptr;
  const Axis* words = nullptr;
  std::vector<float> of_sentences;  ///< p_s; sum to 1
  std::vector<float> of_words;      ///< p_w; sum to 1 within a sentence

  /// Shades √p_s p_w of the words: words of unimportant sentences are faint but
  /// visible. Paper: Yang et al. 2016, section 3.6.
  std::vector<float> Shades() const;
};

/// Document weights of a segment; nothing unless an axis covers another by its
/// spans, attends to it and is attended to.
std::optional<DocumentWeights> DocumentWeightsOf(
    const ExplanationSegment& segment);

/// Shows a row per sentence: its weight as a bar on the left, and its shaded
/// words. For a long document, only the sentences with the largest weights.
ExplanationView DocumentView();

/// Items of an axis in lines: one line per sentence if the segment has a
/// sentence axis. Ranges [begin, end) of items.
std::vector<ItemRange> SentencesOfAxis(const ExplanationSegment& segment,
                                       const Axis& axis);

/// Indices of the `max` largest weights, in ascending order.
std::vector<size_t> LargestInOrder(std::span<const float> weights, size_t max);

/// Note on omitted sentences: "… 3 sentences of less weight".
std::string LeftOutSentences(size_t count);

}  // namespace heed

#endif  // HEED_RENDER_DOCUMENT_VIEW_H_
