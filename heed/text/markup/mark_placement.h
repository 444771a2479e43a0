// Placement of the tags and placeholders of a sentence in its translation.
#ifndef HEED_TEXT_MARKUP_MARK_PLACEMENT_H_
#define HEED_TEXT_MARKUP_MARK_PLACEMENT_H_

#include <string>

#include "heed/text/markup/text_split.h"
#include "heed/text/markup/word_links.h"

namespace heed {

/// The translation of a sentence with the sentence's marks, each exactly once,
/// with the nesting of the source.
///
/// Each word of the translation is aligned to the source word with the highest
/// attention (translation.attention), or without attention to the word at the
/// same relative position. An element encloses the words aligned to its own
/// words: the stretch with the largest sum of attention that contains no word
/// of a sibling element; unaligned words count against it. Kept marks are
/// placed next to the words aligned to their neighbours, with the spacing of
/// the source. Words are escaped as segment.format requires. A line break
/// replaces a space if there is one.
///
/// Time: O(T S + marks (T + S)) for words T and S.
std::string WriteSentence(const Segment& segment,
                          const AlignedText& translation);

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_MARK_PLACEMENT_H_
