// WordPiece: BERT's way from text to tokens.
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

/// The words of a text and, each on its own, its punctuation marks and Chinese
/// characters. Control and format characters, NUL, U+FFFD and ill-formed bytes
/// are left out; by `rules` also the accents (category Mn after NFD). Equal to
/// BasicTokenizer of google-research/bert on Unicode's present data.
std::vector<std::string> BasicTokens(std::string_view text,
                                     const WordPieceRules& rules);

/// A vocabulary in the reference's layout: a token per line, its number is its
/// id; one that goes on inside of a word starts with "##". The special tokens
/// stand anywhere in it. Thread-safe.
/// Paper: Devlin et al. 2018, arXiv:1810.04805; Wu et al. 2016,
/// arXiv:1609.08144.
class WordPiece {
 public:
  static constexpr std::array<std::string_view, 5> kSpecials = {
      "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  /// How a piece inside of a word starts.
  static constexpr std::string_view kInner = "##";
  static constexpr int kLongestWord = 100;  // Units: code points

  /// Learns a vocabulary, serialised: the special tokens, then the characters
  /// of the text that occur `options.min_count` times, as start of a word and
  /// inside of one, then the merges of pairs of neighbours by falling frequency
  /// (byte-pair encoding) until there are `options.size` tokens or no pair
  /// occurs twice. Throws: ConfigError.
  static std::string Train(std::span<const std::string> lines,
                           const VocabularyOptions& options);

  /// Throws: FormatError that names `name` if a special token is missing or a
  /// line is not UTF-8. Of a token that stands twice the last line counts.
  WordPiece(std::string_view bytes, const WordPieceRules& rules,
            const std::string& name);
  WordPiece(const WordPiece&) = delete;
  WordPiece& operator=(const WordPiece&) = delete;

  /// The longest piece that fits, again and again. A word that cannot be put
  /// together, or has more than kLongestWord characters, is one [UNK] with the
  /// word itself as its piece. Special tokens in the text are kept whole.
  Encoded Encode(std::string_view line) const;
  /// The words with one space between them.
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
  Ids inner_;   // the same without "##"
  size_t longest_ = 0;
  SpecialIds special_;
};

}  // namespace heed

#endif  // HEED_TEXT_WORDPIECE_H_
