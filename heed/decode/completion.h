// The words that a half-typed one may become.
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
  /// Hypotheses kept at each step.
  int beam = 32;
  /// Of a word. Units: tokens
  int max_tokens = 24;
  /// How much of the text before the word the model reads. Units: tokens, the
  /// last ones; 0: all.
  int context = 256;

  void Visit(FieldList& v);
};

struct Completion {
  std::string word;  ///< whole, with the letters that were typed
  double probability = 0;
};

/// Bytes of `text` before its last word, which is empty behind white space.
size_t LastWord(std::string_view text);

/// Completes the last word of a text by a language model: a Decoder whose
/// source is the text so far (see TransformerLanguageModel). A word is what
/// stands between white space.
///
/// The model reads the text up to the last word, so that the typed letters may
/// be cut into tokens in any way; then all token sequences are followed whose
/// text agrees with the typed letters, the likeliest `beam` of them, until a
/// word ends: before white space, a token that begins a word, or </s>. The
/// probability of a word is the sum over its sequences, given that the word
/// begins as typed and has no unknown token. With a beam that holds all of them
/// it is exact; sequences that are dropped are missing from all words alike.
/// Immutable; used from many threads. The model must outlive it.
class Completer {
 public:
  /// Throws: ConfigError for options out of range, and for a WordPiece
  /// vocabulary, whose tokens do not say where a white space was.
  Completer(const Decoder& model, Vocabulary vocabulary,
            const CompletionOptions& options);

  /// Best first; fewer than asked for, or none, if no token sequence agrees. A
  /// text that ends in white space (or is empty) asks for the next word. The
  /// case must be that of the training text.
  /// Throws: FormatError if `text` is not valid UTF-8; NumericError if the
  /// model gives NaN; Cancelled.
  std::vector<Completion> Complete(
      std::string_view text, const Cancellation* cancellation = nullptr) const;

 private:
  struct Partial;
  class Search;

  /// Whether a word is over where this token follows.
  bool Ends(int32_t token) const { return At(ends_, token); }

  const Decoder& model_;
  Vocabulary vocabulary_;
  CompletionOptions options_;
  /// What every word begins with: SentencePiece's mark of a space, or nothing.
  std::string_view start_;
  /// Whether tokens that end a word begin the next one; else they are spaces.
  bool begins_words_;
  std::vector<bool> ends_;
};

}  // namespace heed

#endif  // HEED_DECODE_COMPLETION_H_
