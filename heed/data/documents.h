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

/// Byte offsets at which the sentences of a text begin, ascending. In a text of
/// several lines each non-blank line is a sentence; a single line is split by
/// SplitSentences. A blank text has none.
std::vector<size_t> FindSentences(std::string_view text);

/// Words and punctuation marks of a text, separated by single spaces, for
/// training the word vocabulary of documents.
std::string SpacedWords(std::string_view text);

/// An encoded document, without special tokens.
struct MarkedDocument {
  std::vector<int32_t> ids;
  std::vector<std::string> pieces;       ///< surface form of each id
  std::vector<int32_t> sentences;        ///< tokens per sentence, all > 0
  std::vector<std::string> sentence_of;  ///< text of each sentence
  bool cut = false;                      ///< true if truncated
};

/// Encodes a document. Sentences without a token are dropped; a document
/// without tokens becomes one sentence with the end-of-sentence token, so that
/// no document is empty. `begins`: byte offsets of the sentences. `max_length`:
/// maximum tokens (0: no limit).
MarkedDocument MarkDocument(const Vocabulary& vocabulary, std::string_view text,
                            std::span<const size_t> begins, int max_length,
                            bool lowercase);

}  // namespace heed

#endif  // HEED_DATA_DOCUMENTS_H_
