// Which word each token of a line belongs to.
#ifndef HEED_TEXT_WORD_TOKENS_H_
#define HEED_TEXT_WORD_TOKENS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/vocabulary.h"

namespace heed {

/// A line as a model reads it, and the words between its white space.
struct WordTokens {
  std::vector<int32_t> ids;    ///< ends with kEos
  std::vector<int32_t> words;  ///< of each token, from 0; −1: of none

  /// One more than the largest word.
  int32_t word_count() const;
};

/// The word of each piece of a sentence that ends with </s>, from 0; -1: of
/// none, as the end and spaces.
std::vector<int32_t> WordsOfPieces(std::span<const std::string> pieces,
                                   VocabularyKind kind);

/// The tokens of EncodeSentence with their words: the pieces of SplitWhitespace
/// in their order. Where a line does not become tokens word by word (a
/// vocabulary splits at a no-break space, or turns a character into two words),
/// each word is encoded on its own.
WordTokens EncodeWordTokens(const Vocabulary& vocabulary,
                            std::string_view line);

/// The words of tokens that are known by their ids alone, as other segments of
/// a line with `words` words: nothing if that is not known.
std::optional<WordTokens> FindWords(const Vocabulary& vocabulary,
                                    std::span<const int32_t> ids,
                                    int32_t words);

}  // namespace heed

#endif  // HEED_TEXT_WORD_TOKENS_H_
