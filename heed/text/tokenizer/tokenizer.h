// Tokenizers of Hugging Face's tokenizer.json.
#ifndef HEED_TEXT_TOKENIZER_TOKENIZER_H_
#define HEED_TEXT_TOKENIZER_TOKENIZER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// Conversion between text and token ids as described by a tokenizer.json.
/// Ids equal those of Hugging Face's `tokenizers` library. Immutable; copies
/// share the tables. Thread-safe.
class Tokenizer {
 public:
  /// A token and its bytes in the original text.
  struct Token {
    int32_t id = 0;
    /// Range in the text. Parts of a character have the range of the whole
    /// character. Empty at 0 for special tokens of the template.
    int32_t begin = 0;
    int32_t end = 0;
    int32_t segment = 0;
    int32_t source = 0;  ///< 0: text, 1: its pair, −1: the template
  };

  struct EncodeOptions {
    /// Adds the special tokens of the template, such as <s> and [CLS].
    bool add_special = true;
    /// Special tokens in the text are plain text. Use it for text of clients,
    /// who could otherwise end a prompt.
    bool literal = false;
  };

  /// Parses a tokenizer.json. Truncation and padding are ignored.
  /// Throws: FormatError that names `name` and the part, for invalid content
  /// and for parts that are not supported.
  static Tokenizer Parse(std::string_view json, const std::string& name);

  /// Compact form of the file, which Map() reads without parsing the
  /// vocabulary. It depends on the byte order of the machine.
  std::string Serialize() const;
  /// Reads the result of Serialize(), for example a mapped file. The tables
  /// stay in `bytes`, which must be aligned to 16 bytes; `owner` keeps them
  /// alive. Throws: FormatError that names `name`.
  static Tokenizer Map(std::string_view bytes,
                       std::shared_ptr<const void> owner,
                       const std::string& name);

  /// Tokens of a text. Ill-formed UTF-8 counts as U+FFFD.
  /// Throws: Error if a regular expression of the file takes too long.
  std::vector<Token> Encode(std::string_view text,
                            const EncodeOptions& options) const;
  std::vector<Token> EncodePair(std::string_view first, std::string_view second,
                                const EncodeOptions& options) const;

  /// Text of tokens. `skip_special`: leaves out special tokens. Ids without a
  /// token give nothing.
  std::string Decode(std::span<const int32_t> ids, bool skip_special) const;

  /// Number of ids, including ids without a token.
  int32_t size() const;
  /// Token as it stands in the file; empty for ids without a token.
  std::string_view Text(int32_t id) const;
  /// Id of a token; −1 if there is none.
  int32_t Id(std::string_view token) const;
  bool IsSpecial(int32_t id) const;
  /// Ids of all special tokens, increasing.
  const std::vector<int32_t>& special() const;

  /// Bytes that a token stands for. They need not be whole characters.
  std::string Bytes(int32_t id) const;
  /// Bytes() for readers: spaces as "▁", line ends as "↵", tabs as "⇥", other
  /// control characters and parts of characters as "⟨E2 96⟩".
  std::string Shown(int32_t id) const;

 private:
  struct Tables;
  explicit Tokenizer(std::shared_ptr<const Tables> tables);

  std::shared_ptr<const Tables> tables_;
};

}  // namespace heed

#endif  // HEED_TEXT_TOKENIZER_TOKENIZER_H_
