// Texts with white space, placeholders and markup, translated as a whole.
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

/// Texts and attention by which tags are placed; refers to `translation`,
/// which must outlive the result.
inline AlignedText Aligned(const Translation& translation) {
  return {translation.text, translation.source_pieces,
          translation.target_pieces, translation.attention};
}

/// The target language of a multi-target model: its marks, and that of a text
/// without one; empty: none. Refers to both.
struct TargetChoice {
  const TargetMarks& marks;
  const std::string& mark;
};

/// The sentences of one text as the model reads them: behind the mark of the
/// text, else of the choice. Takes marks off the sentences themselves.
std::vector<std::string> MarkSentences(std::span<Segment* const> sentences,
                                       const TargetChoice& target);

/// WriteSentence, of what was translated behind a mark or without.
std::string WriteTarget(const Segment& sentence,
                        const Translation& translation);

/// Translates a document of valid UTF-8 sentence by sentence. What is no
/// sentence stays as it is, and marks are put around the words that theirs
/// became (see WriteSentence), by attention if `translator` keeps it.
/// Throws: as Translator::Translate.
std::string TranslateDocument(const Translator& translator,
                              std::string_view document, TextFormat format,
                              const SplitOptions& options,
                              const TargetChoice& target);

}  // namespace heed

#endif  // HEED_DECODE_DOCUMENT_TRANSLATION_H_
