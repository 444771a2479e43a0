// Completion of the last word of a text.
#ifndef HEED_DECODE_COMPLETION_H_
#define HEED_DECODE_COMPLETION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/config.h"
#include "heed/models/decoder.h"
#include "heed/text/vocabulary.h"

namespace heed {

struct CompletionOptions {
  int completions = 5;
  /// Beam size.
  int beam = 32;
  /// Maximum length of a word. Units: tokens
  int max_tokens = 24;
  /// Maximum context before the word; only the last tokens are read. Units:
  /// tokens; 0: unlimited
  int context = 256;

  void Visit(FieldList& v);
};

struct Completion {
  std::string word;  ///< complete word, including the typed letters
  double probability = 0;
};

/// Number of bytes of `text` before its last word; the word is empty after
/// white space.
size_t LastWord(std::string_view text);

/// Completes the last word of a text with a language model: a Decoder whose
/// source is the text so far (see TransformerLanguageModel). Words are
/// separated by white space.
///
/// The model reads the text before the last word, so that the typed letters may
/// be tokenised in any way. Beam search then follows all token sequences whose
/// text agrees with the typed letters. A word ends before white space, a token
/// that begins a word, or </s>. The probability of a word is the sum over its
/// sequences, given that the word begins as typed and has no unknown token. It
/// is exact if the beam holds all sequences. Dropped sequences are missing from
/// all words equally. Immutable; thread-safe. The model must outlive it.
class Completer {
 public:
  /// Throws: ConfigError for options out of range, and for a WordPiece
  /// vocabulary, whose tokens do not record white space.
  Completer(const Decoder& model, Vocabulary vocabulary,
            const CompletionOptions& options);

  /// Completions, best first; fewer than `completions`, or none, if no more
  /// token sequences agree. A text that is empty or ends in white space
  /// requests the next word. The text must be cased like the training text.
  /// Throws: FormatError if `text` is not valid UTF-8; NumericError if the
  /// model returns NaN; Cancelled.
  std::vector<Completion> Complete(
      std::string_view text, const Cancellation* cancellation = nullptr) const;

 private:
  struct Partial;
  class Search;

  /// True if a word ends before this token.
  bool Ends(int32_t token) const { return At(ends_, token); }

  const Decoder& model_;
  Vocabulary vocabulary_;
  CompletionOptions options_;
  /// Prefix of the first token of every word: SentencePiece's space mark, or
  /// nothing.
  std::string_view start_;
  /// True if tokens that end a word begin the next one; otherwise they are
  /// white space.
  bool begins_words_;
  std::vector<bool> ends_;
};

}  // namespace heed

#endif  // HEED_DECODE_COMPLETION_H_
