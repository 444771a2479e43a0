// Text as it is typed: every character stands before a word that is to be
// guessed.
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

/// Conversion of the NormalForm of a text into typed characters.
enum class TypedForm : uint8_t {
  kLetters,    // lower case; all but letters become spaces, as in text8
  kLowercase,  // lower case
  kAsIs,
};
constexpr auto WordsOf(TypedForm) {
  return std::array{"letters", "lowercase", "as_is"};
}

/// Words in that form, with one space before each: " the cat". A text that ends
/// with white space (or with what becomes a space) ends with one here, too:
/// then the next word begins; empty text becomes one space.
std::string TypedText(std::string_view text, TypedForm form);

struct TypingOptions {
  TypedForm form = TypedForm::kLetters;
  /// Of a sequence. Words that are longer by themselves are left out. Units:
  /// characters, with the space before each word
  int length = 200;
  /// A sequence begins with a line; else it may hold several lines.
  bool lines = true;
};

/// The lines as sequences of whole words, as TypedText: " the cat".
std::vector<std::string> TypedSequences(std::span<const std::string> lines,
                                        const TypingOptions& options);

/// Characters and the words that they belong to. A space belongs to the word
/// behind it.
class TypingCodec {
 public:
  /// The `words` most frequent words, without those rarer than `min_count`.
  /// Throws: ConfigError if there are none.
  static TypingCodec Learn(std::span<const std::string> sequences, int words,
                           int min_count);
  TypingCodec(Vocabulary characters, Vocabulary words)
      : characters_(std::move(characters)), words_(std::move(words)) {}

  const Vocabulary& characters() const { return characters_; }
  const Vocabulary& words() const { return words_; }

  /// Words that can be guessed: classes 0 to word_count() − 1.
  int64_t word_count() const { return words_.size() - kSpecialTokens; }
  const std::string& Word(int64_t word) const {
    return words_.Piece(static_cast<int32_t>(word) + kSpecialTokens);
  }

  /// Ids of the characters of a sequence.
  std::vector<int32_t> Characters(std::string_view typed) const {
    return characters_.Encode(typed);
  }
  /// For each character the word that it belongs to; −1: it cannot be guessed.
  std::vector<int32_t> Words(std::string_view typed) const;

  /// All sequences on all threads, characters as sources and words as targets,
  /// which have equal lengths: so that PlanBatches takes them.
  Corpus Encode(std::span<const std::string> sequences) const;

 private:
  Vocabulary characters_;
  Vocabulary words_;
};

/// For each character of a sequence how many of its word's were typed: 0 at a
/// space, 1 at the first letter, ...
std::vector<int32_t> CharactersSeen(std::string_view typed);

}  // namespace heed

#endif  // HEED_DATA_TYPING_H_
