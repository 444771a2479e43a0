// Character-by-character text, for models that predict the current word.
#ifndef HEED_DATA_TYPING_H_
#define HEED_DATA_TYPING_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/corpus.h"

namespace heed {

/// Conversion of text (in NormalForm) into typed characters.
enum class TypedForm : uint8_t {
  kLetters,    // lower case; other characters become spaces, as in text8
  kLowercase,  // lower case
  kAsIs,
};
constexpr auto WordsOf(TypedForm) {
  return std::array{"letters", "lowercase", "as_is"};
}

/// Words in this form, each after a space: " the cat". A final space is kept,
/// because it begins the next word; empty text becomes one space.
std::string TypedText(std::string_view text, TypedForm form);

struct TypingOptions {
  TypedForm form = TypedForm::kLetters;
  /// Maximum length of a sequence; longer words are dropped. Units: characters,
  /// including the space before each word
  int length = 200;
  /// If true, each line begins a new sequence.
  bool lines = true;
};

/// Splits lines into sequences of whole words in the format of TypedText: " the
/// cat".
std::vector<std::string> TypedSequences(std::span<const std::string> lines,
                                        const TypingOptions& options);

/// Encoding of characters and the words that contain them. A space belongs to
/// the following word.
class TypingCodec {
 public:
  /// Learns the `words` most frequent words, except those with fewer than
  /// `min_count` occurrences. Throws: ConfigError if there are none.
  static TypingCodec Learn(std::span<const std::string> sequences, int words,
                           int min_count);
  TypingCodec(Vocabulary characters, Vocabulary words)
      : characters_(std::move(characters)), words_(std::move(words)) {}

  const Vocabulary& characters() const { return characters_; }
  const Vocabulary& words() const { return words_; }

  /// Number of predictable words: classes 0 to word_count() − 1.
  int64_t word_count() const { return words_.size() - kSpecialTokens; }
  const std::string& Word(int64_t word) const {
    return words_.Piece(static_cast<int32_t>(word) + kSpecialTokens);
  }

  /// Ids of a sequence's characters.
  std::vector<int32_t> Characters(std::string_view typed) const {
    return characters_.Encode(typed);
  }
  /// Word of each character; −1 for an unknown word.
  std::vector<int32_t> Words(std::string_view typed) const;

  /// Encodes all sequences on all threads: characters as sources and words of
  /// equal length as targets, as PlanBatches expects.
  Corpus Encode(std::span<const std::string> sequences) const;

 private:
  Vocabulary characters_;
  Vocabulary words_;
};

/// Number of typed letters of the current word at each character: 0 at a space,
/// 1 at the first letter, ...
std::vector<int32_t> CharactersSeen(std::string_view typed);

}  // namespace heed

#endif  // HEED_DATA_TYPING_H_
