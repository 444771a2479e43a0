// Tokens that a decoder copies from its source.
//
// A source token that a vocabulary does not know has a temporary id: the size
// of the vocabulary plus the first position of its text in the source.
#ifndef HEED_TEXT_COPIED_TOKENS_H_
#define HEED_TEXT_COPIED_TOKENS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/vocabulary.h"

namespace heed {

/// Encodes a source as EncodeSentence does, with temporary ids for its unknown
/// tokens.
Encoded EncodeCopiedSource(const Vocabulary& vocabulary, std::string_view line,
                           bool lowercase);

/// Encodes a target as EncodeSentence does. Unknown tokens whose text is in the
/// source have temporary ids.
Encoded EncodeCopiedTarget(const Vocabulary& vocabulary, std::string_view line,
                           bool lowercase,
                           std::span<const std::string> source_pieces);

/// How source ids become target ids.
struct CopyTable {
  std::vector<int32_t> target_ids;  ///< of each source id; −1: unknown
  int32_t source_unknown = kUnk;
  int32_t target_unknown = kUnk;
  int32_t target_size = 0;
};

/// Maps source tokens to the target tokens of equal text, and special tokens to
/// those of equal meaning.
CopyTable CopyTableOf(const Vocabulary& source, const Vocabulary& target);

/// Text of a token: `source_pieces` provides those with temporary ids. Throws:
/// ShapeError for other ids outside the vocabulary.
const std::string& PieceOrCopy(const Vocabulary& vocabulary, int32_t id,
                               std::span<const std::string> source_pieces);

}  // namespace heed

#endif  // HEED_TEXT_COPIED_TOKENS_H_
