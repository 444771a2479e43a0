// Vocabularies of other programs in Heed's order of tokens.
#ifndef HEED_CONVERT_MAPPED_VOCABULARY_H_
#define HEED_CONVERT_MAPPED_VOCABULARY_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "heed/tensor/tensor.h"
#include "heed/text/sentencepiece_model.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// Tokens with their rows in another program's tables.
struct TokenRows {
  static constexpr int32_t kNone = -1;

  int32_t pad = kNone;
  int32_t unk = kNone;
  int32_t bos = kNone;  // what a decoder starts from; kNone: a row of zeros
  int32_t eos = kNone;
  std::vector<std::pair<std::string, int32_t>> others;  // from id 4 on
  /// Those at the end of `others` that the other program knows in text, but has
  /// no row for: it takes <unk>'s, and never writes them.
  size_t copies = 0;
};

/// A vocabulary of Heed's, and the row of each id in another program's tables.
struct MappedVocabulary {
  VocabularyKind kind = VocabularyKind::kWords;
  std::string bytes;          // as Vocabulary::Serialize
  std::vector<int32_t> rows;  // kNone: zeros
  size_t copies = 0;

  int size() const { return static_cast<int>(rows.size()); }
  /// Biases of the outputs in Heed's order; low where a token is no output of
  /// the other program's, so that it has no probability.
  /// Shapes: bias [rows of theirs], result [size()].
  Tensor Biases(const Tensor& bias) const;
};

/// What is left out, and why: lines to tell the user.
using Notes = std::vector<std::string>;

MappedVocabulary MapWords(const TokenRows& tokens);
/// A piece of `tokens` that the model does not have is in no text, but can be
/// written.
MappedVocabulary MapSubwords(const TokenRows& tokens,
                             const SentencePieceModel& model);

/// Reads a vocabulary of Marian's: .spm (SentencePiece), .yml, .yaml or .json
/// (token: id), otherwise a token per line; for a table of `rows` rows.
/// Throws: IoError, FormatError that names the file.
MappedVocabulary ReadMarianVocabulary(const std::string& path, int64_t rows,
                                      Notes& notes);

/// A vocabulary as token: id, and its file for errors.
struct TokenIds {
  std::map<std::string, int32_t> ids;
  std::string file;
};
/// Parses a vocab.json of Hugging Face. Throws: FormatError.
TokenIds ParseTokenIds(const std::string& json, const std::string& file);
/// Reads a vocabulary of Marian other than .spm. Throws: IoError, FormatError.
TokenIds ReadTokenIds(const std::string& path);

/// Pieces of both models that one list of ids numbers. The special tokens of
/// `special` are given, `others` is not read. Throws: FormatError.
struct MappedPair {
  MappedVocabulary source;
  MappedVocabulary target;
  bool same_tokens = false;  // each id is the same token on both sides
};
MappedPair MapJoint(const TokenIds& tokens, const TokenRows& special,
                    const SentencePieceModel& source,
                    const SentencePieceModel& target, int64_t rows,
                    Notes& notes);
MappedVocabulary MapOwn(const TokenIds& tokens, const TokenRows& special,
                        const SentencePieceModel& model, int64_t rows,
                        Notes& notes);

/// Marian's numbers of pieces that the SentencePiece models `source` and
/// `target` divide texts into, for tables of so many rows. Throws: FormatError.
MappedPair MapMarianPieces(const TokenIds& source_ids,
                           const TokenIds& target_ids,
                           const SentencePieceModel& source,
                           const SentencePieceModel& target,
                           int64_t source_rows, int64_t target_rows,
                           Notes& notes);

/// Mark of a target language in a source text, as ">>fra<<".
bool IsLanguageMark(std::string_view token);

}  // namespace heed

#endif  // HEED_CONVERT_MAPPED_VOCABULARY_H_
