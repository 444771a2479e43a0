// Documents: texts with their sentences.
#ifndef HEED_DATA_DOCUMENTS_H_
#define HEED_DATA_DOCUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/vocabulary.h"

namespace heed {

/// Bytes at which the sentences of a text begin, ascending. A text of several
/// lines has a sentence in each that is not blank; one of a single line those
/// of SplitSentences. A blank text has none.
std::vector<size_t> FindSentences(std::string_view text);

/// The words of a text and, each on its own, its punctuation marks, with one
/// space between them: what a vocabulary of words learns from documents.
std::string SpacedWords(std::string_view text);

/// A document as a model reads it, without marks.
struct MarkedDocument {
  std::vector<int32_t> ids;
  std::vector<std::string> pieces;       ///< of each id, as the text has it
  std::vector<int32_t> sentences;        ///< tokens of each sentence, not 0
  std::vector<std::string> sentence_of;  ///< the text of each sentence
  bool cut = false;  ///< longer than allowed: its end is left out
};

/// Sentences without a token are left out; a document without any is one
/// sentence with the mark of a sentence's end alone, so that no document is
/// empty. `begins`: of the sentences. At most `max_length` tokens, 0: all.
MarkedDocument MarkDocument(const Vocabulary& vocabulary, std::string_view text,
                            std::span<const size_t> begins, int max_length,
                            bool lowercase);

}  // namespace heed

#endif  // HEED_DATA_DOCUMENTS_H_
