// Translation of whole documents with white space, placeholders and markup.
#ifndef HEED_DECODE_DOCUMENT_TRANSLATION_H_
#define HEED_DECODE_DOCUMENT_TRANSLATION_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/decode/translator.h"
#include "heed/text/markup/text_split.h"
#include "heed/text/markup/word_links.h"
#include "heed/text/target_marks.h"

namespace heed {

/// Text and attention for placing tags. Refers to `translation`, which must
/// outlive the result.
inline AlignedText Aligned(const Translation& translation) {
  return {translation.text, translation.source_pieces,
          translation.target_pieces, translation.attention};
}

/// Target language of a multi-target model: its marks, and the default mark for
/// texts without one; empty: none. Refers to both.
struct TargetChoice {
  const TargetMarks& marks;
  const std::string& mark;
};

/// Model inputs for the sentences of one text, each with the mark of the text
/// or, if it has none, the default mark. Removes marks from the sentences
/// themselves.
std::vector<std::string> MarkSentences(std::span<Segment* const> sentences,
                                       const TargetChoice& target);

/// WriteSentence for a translation with or without a target mark.
std::string WriteTarget(const Segment& sentence,
                        const Translation& translation);

/// Translates a document of valid UTF-8 sentence by sentence. Everything
/// between sentences stays unchanged. Markup is placed around the corresponding
/// translated words (see WriteSentence), by attention if `translator` keeps it.
/// Throws: as Translator::Translate.
std::string TranslateDocument(const Translator& translator,
                              std::string_view document, TextFormat format,
                              const SplitOptions& options,
                              const TargetChoice& target);

}  // namespace heed

#endif  // HEED_DECODE_DOCUMENT_TRANSLATION_H_
