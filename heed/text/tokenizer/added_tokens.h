// Tokens that are recognised in texts before the model splits them.
#ifndef HEED_TEXT_TOKENIZER_ADDED_TOKENS_H_
#define HEED_TEXT_TOKENIZER_ADDED_TOKENS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/tokenizer/aligned_text.h"
#include "heed/text/tokenizer/part.h"

namespace heed::tokens {

struct AddedToken {
  int32_t id = 0;
  std::string content;
  bool single_word = false;  ///< only between characters that are no `\w`
  bool lstrip = false;       ///< includes white space on its left
  bool rstrip = false;       ///< includes white space on its right
  bool normalized = false;   ///< searched in the normalised text
  bool special = false;
};

/// Reads the list "added_tokens". Throws: FormatError.
std::vector<AddedToken> ReadAddedTokens(const Part& file);

/// Searches texts for a set of added tokens. Immutable; thread-safe.
class AddedTokenFinder {
 public:
  struct Pattern {
    std::string text;
    AddedToken token;
  };

  AddedTokenFinder() = default;
  explicit AddedTokenFinder(std::vector<Pattern> patterns);

  /// Cuts the tokens out of all text pieces: leftmost, longest. `literal`:
  /// special tokens stay text.
  void Cut(Pieces& state, bool literal) const;

 private:
  const Pattern* LongestAt(std::string_view text, size_t begin) const;
  void CutPiece(std::string_view text, const Piece& piece, bool literal,
                std::vector<Piece>& result) const;

  std::vector<Pattern> patterns_;  // sorted by text, without duplicates
  std::vector<bool> first_;        // of bytes that begin a pattern
};

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_ADDED_TOKENS_H_
