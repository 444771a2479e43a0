// Mapping of the tokens of a line to its words.
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

/// A line as model input, with the white-space-separated word of each token.
struct WordTokens {
  std::vector<int32_t> ids;    ///< ends with the end token
  std::vector<int32_t> words;  ///< word of each token, from 0; −1: none

  /// One more than the largest word index.
  int32_t word_count() const;
};

/// Word of each piece of a sentence that ends with </s>, from 0; −1: none, as
/// for </s> and spaces.
std::vector<int32_t> WordsOfPieces(std::span<const std::string> pieces,
                                   VocabularyKind kind);

/// Tokens of EncodeSentence with their words, numbered as in SplitWhitespace.
/// If tokens cross word borders (a vocabulary splits at a no-break space, or
/// turns a character into two words), each word is encoded separately.
WordTokens EncodeWordTokens(const Vocabulary& vocabulary,
                            std::string_view line);

/// Words of given token ids, such as another segmentation of a line with
/// `words` words; nothing if they cannot be determined.
std::optional<WordTokens> FindWords(const Vocabulary& vocabulary,
                                    std::span<const int32_t> ids,
                                    int32_t words);

}  // namespace heed

#endif  // HEED_TEXT_WORD_TOKENS_H_
