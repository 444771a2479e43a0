// Where the tags and placeholders of a sentence stand in its translation.
#ifndef HEED_TEXT_MARKUP_MARK_PLACEMENT_H_
#define HEED_TEXT_MARKUP_MARK_PLACEMENT_H_

#include <string>

#include "heed/text/markup/text_split.h"
#include "heed/text/markup/word_links.h"

namespace heed {

/// The translation of a sentence with the sentence's marks, each exactly once
/// and nested as they are there.
///
/// Each word of the translation belongs to the source word that it looked at
/// most when it was written (translation.attention; without any, to the one at
/// the same share of the sentence). An element goes around the words that
/// belong to its own: of all stretches without a word of a neighbouring element
/// the one with the largest sum of attention, words of nobody counted against
/// it. What is kept goes beside the words that belong to its neighbours, with
/// spaces as it had them. Words are escaped as segment.format needs it. A line
/// break goes where a space is, if there is one.
///
/// Time: O(T S + marks (T + S)) for words T and S.
std::string WriteSentence(const Segment& segment,
                          const AlignedText& translation);

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_MARK_PLACEMENT_H_
