// Text to token ids and back.
#ifndef HEED_TEXT_VOCABULARY_H_
#define HEED_TEXT_VOCABULARY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// Ids that every vocabulary starts with, but for a WordPiece vocabulary of
/// others: see SpecialIds.
inline constexpr int32_t kPad = 0;
inline constexpr int32_t kUnk = 1;
inline constexpr int32_t kBos = 2;
inline constexpr int32_t kEos = 3;
inline constexpr int kSpecialTokens = 4;

/// Where the special tokens of a vocabulary stand; −1: there is none.
struct SpecialIds {
  int32_t pad = kPad;
  int32_t unk = kUnk;
  int32_t bos = kBos;  // WordPiece: [CLS]
  int32_t eos = kEos;  // WordPiece: [SEP]
  int32_t mask = -1;   // WordPiece: [MASK]
};

/// Subwords by SentencePiece (unigram or BPE), words between white space, code
/// points (a space is one like any other), or BERT's WordPiece, which splits
/// words and punctuation by WordPieceRules: lower-cased without accents, as it
/// is (cased), lower-cased with accents, or without accents alone (stripped);
/// unsplit: Chinese characters are no words of their own.
enum class VocabularyKind {
  kUnigram,
  kBpe,
  kWords,
  kCharacters,
  kWordPiece,
  kWordPieceCased,
  kWordPieceAccents,
  kWordPieceStripped,
  kWordPieceUnsplit,
  kWordPieceCasedUnsplit,
  kWordPieceAccentsUnsplit,
  kWordPieceStrippedUnsplit,
};

/// "unigram", "bpe", "words", "characters", "wordpiece", "wordpiece_cased" ...
const char* Name(VocabularyKind kind);
/// Throws: ConfigError that lists the names.
VocabularyKind ParseVocabularyKind(std::string_view name);
/// Whether tokens are pieces of SentencePiece.
bool IsSubword(VocabularyKind kind);
/// How text is normalised before it becomes tokens. For subwords:
/// SentencePiece's rule of that name, after NormalForm. For other kinds:
/// NormalForm, unless kIdentity.
enum class Normalization : uint8_t { kNmtNfkc, kNfkc, kIdentity };

/// "nmt_nfkc", "nfkc" and "identity", in the order of Normalization.
std::vector<std::string> NormalizationNames();
const char* Name(Normalization normalization);
/// Throws: ConfigError that lists the names.
Normalization ParseNormalization(std::string_view name);

/// How WordPiece reads a text before it divides words into pieces.
struct WordPieceRules {
  bool lowercase = true;
  bool strip_accents = true;
  bool split_chinese = true;
};
bool IsWordPiece(VocabularyKind kind);
/// Rules of a kind of WordPiece vocabulary.
WordPieceRules WordPieceRulesOf(VocabularyKind kind);
VocabularyKind WordPieceKind(const WordPieceRules& rules);
/// Appends the names of all kinds of WordPiece vocabularies to `others`,
/// "wordpiece" first.
std::vector<std::string> WithWordPieceNames(std::vector<std::string> others);

/// How the file of a vocabulary ends: ".model" (SentencePiece's own format) or
/// ".txt" (one token per line, ids in order).
const char* FileExtension(VocabularyKind kind);

struct VocabularyOptions {
  VocabularyKind kind = VocabularyKind::kUnigram;
  /// Tokens, the special ones included; fewer where the text does not allow so
  /// many. Subwords need every character of the text (WordPiece: that is not
  /// rare) and get at least these; of words and characters the most frequent
  /// stay (0: all).
  int size = 8000;
  /// Words and characters: rarer ones become <unk>, unless all are rarer.
  /// WordPiece: words with rarer characters do.
  int min_count = 1;
  /// Unigram and BPE: characters that the lines do not have become their bytes,
  /// tokens from <0x00> to <0xFF>, instead of <unk>.
  bool byte_fallback = false;
  Normalization normalization = Normalization::kNmtNfkc;
};

/// A line as tokens. A piece is what the normalised line has at that place,
/// also where the id is kUnk, so an unknown token can be copied into a
/// translation.
struct Encoded {
  std::vector<int32_t> ids;
  std::vector<std::string> pieces;
};

/// Words as tokens, where each word has one or more.
struct EncodedWords {
  std::vector<int32_t> ids;
  std::vector<int32_t> first;  ///< of each word: where in ids it begins
};

/// Immutable; copies share the tables, and all may be used from many threads.
class Vocabulary {
 public:
  /// The same lines and options give the same vocabulary.
  /// Throws: ConfigError if the lines hold no text, or if there is no such
  /// option for the kind.
  static Vocabulary Train(std::span<const std::string> lines,
                          const VocabularyOptions& options);

  /// Reads what Serialize() gave. Throws: FormatError that names `name`.
  static Vocabulary Parse(std::string_view bytes, VocabularyKind kind,
                          const std::string& name);
  std::string Serialize() const;

  /// Tokens of a line of valid UTF-8, without sentence ends. Runs of white
  /// space count as one space, except among characters.
  std::vector<int32_t> Encode(std::string_view line) const;
  Encoded EncodeWithPieces(std::string_view line) const;
  /// Encode() of each line, in less time than one by one.
  std::vector<std::vector<int32_t>> EncodeAll(
      std::span<const std::string> lines) const;

  /// `text` as the vocabulary compares it: NormalForm, or unchanged if the
  /// vocabulary was trained with kIdentity or imported.
  std::string Normalized(std::string_view text) const;

  /// Every word on its own, for labels of words. A word without any token (of
  /// control characters, say) becomes one unknown token.
  EncodedWords EncodeWords(std::span<const std::string> words) const;

  /// Text of the tokens; padding and sentence ends are left out. Bytes become
  /// the characters that they spell, or U+FFFD.
  /// Throws: ShapeError for an id outside of the vocabulary.
  std::string Decode(std::span<const int32_t> ids) const;
  std::string DecodePieces(std::span<const std::string> pieces) const;

  /// Throws: ShapeError for an id outside of the vocabulary.
  const std::string& Piece(int32_t id) const;
  int size() const;
  VocabularyKind kind() const;
  const SpecialIds& special() const;

 private:
  struct Tables;
  explicit Vocabulary(std::shared_ptr<const Tables> tables);

  std::shared_ptr<const Tables> tables_;
};

/// The one way from a line to what a model reads: the tokens, then kEos.
Encoded EncodeSentence(const Vocabulary& vocabulary, std::string_view line,
                       bool lowercase);

}  // namespace heed

#endif  // HEED_TEXT_VOCABULARY_H_
