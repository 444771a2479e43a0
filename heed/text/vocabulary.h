// Vocabularies: conversion of text to token ids and back.
#ifndef HEED_TEXT_VOCABULARY_H_
#define HEED_TEXT_VOCABULARY_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/shared_bytes.h"
#include "heed/text/tokenizer/tokenizer.h"

namespace heed {

/// Ids of the special tokens of vocabularies that Heed trains, except
/// WordPiece. Code that reads or writes tokens uses Vocabulary::special()
/// instead.
inline constexpr int32_t kPad = 0;
inline constexpr int32_t kUnk = 1;
inline constexpr int32_t kBos = 2;
inline constexpr int32_t kEos = 3;
inline constexpr int kSpecialTokens = 4;

/// Ids of the special tokens of a vocabulary; −1: missing.
struct SpecialIds {
  int32_t pad = kPad;
  int32_t unk = kUnk;
  int32_t bos = kBos;  // WordPiece: [CLS]
  int32_t eos = kEos;  // WordPiece: [SEP]
  int32_t mask = -1;   // WordPiece: [MASK]
  /// Further tokens that end a generated text.
  std::vector<int32_t> other_ends = {};
  /// Tokens between the two texts of a pair; empty: eos alone.
  std::vector<int32_t> between = {};

  /// True for a token that ends a generated text.
  bool IsEnd(int32_t id) const {
    return id >= 0 &&
           (id == eos || std::ranges::find(other_ends, id) != other_ends.end());
  }
  /// Tokens between the two texts of a pair.
  std::span<const int32_t> Separators() const {
    if (between.empty()) return {&eos, 1};
    return between;
  }
  /// True for a token that stands for no text.
  bool IsSpecial(int32_t id) const {
    return id == pad || id == unk || id == bos || id == mask || IsEnd(id);
  }
};

/// Kind of tokens: SentencePiece subwords (unigram or BPE), words separated by
/// white space, code points (including spaces), the tokens of an imported
/// tokenizer.json, or BERT's WordPiece. WordPiece
/// splits words and punctuation by WordPieceRules: lower-cased without accents
/// (default), unchanged (cased), lower-cased with accents (accents), or only
/// without accents (stripped). Unsplit: Chinese characters are not separate
/// words.
enum class VocabularyKind {
  kUnigram,
  kBpe,
  kWords,
  kCharacters,
  kTokenizer,
  kWordPiece,
  kWordPieceCased,
  kWordPieceAccents,
  kWordPieceStripped,
  kWordPieceUnsplit,
  kWordPieceCasedUnsplit,
  kWordPieceAccentsUnsplit,
  kWordPieceStrippedUnsplit,
};

/// Name of a kind: "unigram", "bpe", "words", "characters", "wordpiece",
/// "wordpiece_cased" ...
const char* Name(VocabularyKind kind);
/// Parses the name of a kind. Throws: ConfigError that lists the names.
VocabularyKind ParseVocabularyKind(std::string_view name);
/// True if tokens are pieces of SentencePiece.
bool IsSubword(VocabularyKind kind);
/// True if pieces begin with "▁" where their text begins with a space.
bool MarksSpaces(VocabularyKind kind);
/// Text normalisation before tokenisation. For subwords: SentencePiece's rule
/// of that name, after NormalForm. For other kinds: NormalForm, unless
/// kIdentity.
enum class Normalization : uint8_t { kNmtNfkc, kNfkc, kIdentity };

/// Names in the order of Normalization: "nmt_nfkc", "nfkc" and "identity".
std::vector<std::string> NormalizationNames();
const char* Name(Normalization normalization);
/// Parses the name of a normalisation. Throws: ConfigError that lists the
/// names.
Normalization ParseNormalization(std::string_view name);

/// Preprocessing of text by WordPiece.
struct WordPieceRules {
  bool lowercase = true;
  bool strip_accents = true;
  bool split_chinese = true;
};
bool IsWordPiece(VocabularyKind kind);
/// Rules of a kind of WordPiece vocabulary.
WordPieceRules WordPieceRulesOf(VocabularyKind kind);
VocabularyKind WordPieceKind(const WordPieceRules& rules);
/// Appends the names of all WordPiece kinds to `others`, "wordpiece" first.
std::vector<std::string> WithWordPieceNames(std::vector<std::string> others);

/// File extension of a vocabulary: ".model" (SentencePiece's own format) or
/// ".tokenizer" (see FromTokenizer) or ".txt" (one token per line, ids in
/// order).
const char* FileExtension(VocabularyKind kind);

struct VocabularyOptions {
  VocabularyKind kind = VocabularyKind::kUnigram;
  /// Number of tokens, including special ones; fewer if the text does not
  /// provide enough. Subwords: at least every character of the text (WordPiece:
  /// every character that is not rare). Words and characters: the most frequent
  /// tokens (0: all).
  int size = 8000;
  /// Words and characters: rarer tokens become <unk>, unless all are rarer.
  /// WordPiece: words with rarer characters become <unk>.
  int min_count = 1;
  /// Unigram and BPE: encode characters missing from the training text as
  /// bytes, with tokens <0x00> to <0xFF>, instead of <unk>.
  bool byte_fallback = false;
  Normalization normalization = Normalization::kNmtNfkc;
};

/// A tokenised line. A piece is the text of the normalised line at that
/// position, even where the id is kUnk, so that unknown tokens can be copied to
/// a translation.
struct Encoded {
  std::vector<int32_t> ids;
  std::vector<std::string> pieces;
};

/// Tokenised words; each word has at least one token.
struct EncodedWords {
  std::vector<int32_t> ids;
  std::vector<int32_t> first;  ///< index of the first token of each word
};

/// Conversion between text and token ids. Immutable; copies share the tables.
/// Thread-safe.
class Vocabulary {
 public:
  /// Trains a vocabulary; deterministic.
  /// Throws: ConfigError if the lines hold no text, or for an option that the
  /// kind does not have.
  static Vocabulary Train(std::span<const std::string> lines,
                          const VocabularyOptions& options);

  /// Vocabulary of an imported tokenizer. Its file is a line of JSON with the
  /// special tokens, then the compact form of the tokenizer.
  static Vocabulary FromTokenizer(Tokenizer tokenizer, SpecialIds special);

  /// Parses the result of Serialize(). Throws: FormatError that names `name`.
  static Vocabulary Open(const SharedBytes& bytes, VocabularyKind kind,
                         const std::string& name);
  /// Open() of bytes that are copied.
  static Vocabulary Parse(std::string_view bytes, VocabularyKind kind,
                          const std::string& name);
  std::string Serialize() const;

  /// Tokens of a line of valid UTF-8, without sentence ends. Runs of white
  /// space count as one space, except for kCharacters.
  std::vector<int32_t> Encode(std::string_view line) const;
  Encoded EncodeWithPieces(std::string_view line) const;
  /// Encode() of each line; faster than separate calls.
  std::vector<std::vector<int32_t>> EncodeAll(
      std::span<const std::string> lines) const;

  /// Normalised form of `text` for comparison: NormalForm, or unchanged if the
  /// vocabulary was trained with kIdentity or imported.
  std::string Normalized(std::string_view text) const;

  /// Encodes words, for word labels: each separately, or for kTokenizer as one
  /// text with spaces between them. A word without any token (such as control
  /// characters) becomes one unknown token.
  EncodedWords EncodeWords(std::span<const std::string> words) const;

  /// Text of the tokens without padding and sentence ends. Byte tokens are
  /// decoded to characters, or to U+FFFD.
  /// Throws: ShapeError for an id outside the vocabulary.
  std::string Decode(std::span<const int32_t> ids) const;
  /// Text of pieces. kTokenizer, whose pieces are made for readers: use Decode.
  std::string DecodePieces(std::span<const std::string> pieces) const;
  /// Text of a prompt and the tokens that continue it.
  std::string DecodeAfter(const Encoded& prompt,
                          std::span<const int32_t> ids) const;

  /// The token with this id; kTokenizer: as readers see it, with "▁" for a
  /// space. Throws: ShapeError for an id outside the vocabulary.
  const std::string& Piece(int32_t id) const;
  int size() const;
  VocabularyKind kind() const;
  const SpecialIds& special() const;

 private:
  struct Tables;
  explicit Vocabulary(std::shared_ptr<const Tables> tables);

  std::shared_ptr<const Tables> tables_;
};

/// Encodes a line as model input: its tokens, then the end token if the
/// vocabulary has one. All models must use this function.
Encoded EncodeSentence(const Vocabulary& vocabulary, std::string_view line,
                       bool lowercase);

}  // namespace heed

#endif  // HEED_TEXT_VOCABULARY_H_
