// WordPiece: the tokenisation of BERT.
#ifndef HEED_TEXT_WORDPIECE_H_
#define HEED_TEXT_WORDPIECE_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/text/vocabulary.h"

namespace heed {

/// Words of a text; punctuation marks and Chinese characters are separate
/// words. Control and format characters, NUL, U+FFFD and ill-formed bytes are
/// dropped; depending on `rules` also accents (category Mn after NFD). Equal to
/// BasicTokenizer of google-research/bert on current Unicode data.
std::vector<std::string> BasicTokens(std::string_view text,
                                     const WordPieceRules& rules);

/// A vocabulary in the reference's layout: one token per line, its line number
/// is its id. Tokens inside a word start with "##". Special tokens may be on
/// any line. Thread-safe.
/// Paper: Devlin et al. 2018, arXiv:1810.04805; Wu et al. 2016,
/// arXiv:1609.08144.
class WordPiece {
 public:
  static constexpr std::array<std::string_view, 5> kSpecials = {
      "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  /// Prefix of pieces inside a word.
  static constexpr std::string_view kInner = "##";
  static constexpr int kLongestWord = 100;  // Units: code points

  /// Trains a vocabulary by byte-pair encoding and returns it serialised. It
  /// holds the special tokens, then characters of the text with at least
  /// `options.min_count` occurrences, both at the start of and inside words,
  /// then merges of adjacent pairs by decreasing frequency. Training ends at
  /// `options.size` tokens, or when no pair occurs twice. Throws: ConfigError.
  static std::string Train(std::span<const std::string> lines,
                           const VocabularyOptions& options);

  /// Throws: FormatError that names `name` if a special token is missing or a
  /// line is not UTF-8. For a duplicate token the last line counts.
  WordPiece(std::string_view bytes, const WordPieceRules& rules,
            const std::string& name);
  WordPiece(const WordPiece&) = delete;
  WordPiece& operator=(const WordPiece&) = delete;

  /// Tokenises a line by greedy longest match. A word that cannot be composed,
  /// or has more than kLongestWord characters, is one [UNK] with the word
  /// itself as its piece. Special tokens in the text are kept whole.
  Encoded Encode(std::string_view line) const;
  /// Words of the pieces, separated by single spaces.
  static std::string Join(std::span<const std::string> pieces);

  const std::vector<std::string>& pieces() const { return pieces_; }
  const SpecialIds& special() const { return special_; }

 private:
  using Ids = std::unordered_map<std::string_view, int32_t>;
  int32_t IdOfSpecial(std::string_view token, const std::string& name) const;
  void AppendWord(const std::string& word, Encoded& encoded) const;

  WordPieceRules rules_;
  std::vector<std::string> pieces_;
  Ids starts_;  // views of pieces_
  Ids inner_;   // keys without "##"
  size_t longest_ = 0;
  SpecialIds special_;
};

}  // namespace heed

#endif  // HEED_TEXT_WORDPIECE_H_
