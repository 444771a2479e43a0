// Mapping of other programs' vocabularies to Heed's token ids.
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

/// Tokens with their rows in another program's embedding table.
struct TokenRows {
  static constexpr int32_t kNone = -1;

  int32_t pad = kNone;
  int32_t unk = kNone;
  int32_t bos = kNone;  // first input of the decoder; kNone: a zero vector
  int32_t eos = kNone;
  std::vector<std::pair<std::string, int32_t>> others;  // tokens from id 4 on
  /// Number of tokens at the end of `others` that the other program has in
  /// text, but not in its table. They use the row of <unk>, and are never
  /// generated.
  size_t copies = 0;
};

/// A vocabulary with the row of each id in another program's embedding table.
struct MappedVocabulary {
  VocabularyKind kind = VocabularyKind::kWords;
  std::string bytes;          // as Vocabulary::Serialize
  std::vector<int32_t> rows;  // kNone: a row of zeros
  size_t copies = 0;

  int size() const { return static_cast<int>(rows.size()); }
  /// Output biases in Heed's order. Tokens that the other program cannot
  /// generate get a low bias, so that their probability is 0. Shapes: bias
  /// [rows], result [size()].
  Tensor Biases(const Tensor& bias) const;
};

/// Messages for the user about ignored settings and tokens.
using Notes = std::vector<std::string>;

MappedVocabulary MapWords(const TokenRows& tokens);
/// Maps tokens to a SentencePiece vocabulary. Tokens that `model` lacks can be
/// generated, but are never found in text; language marks are the exception.
MappedVocabulary MapSubwords(const TokenRows& tokens,
                             const SentencePieceModel& model);

/// Reads a vocabulary of Marian for a table of `rows` rows: .spm
/// (SentencePiece, also with .gz), .yml, .yaml or .json (token: id), otherwise
/// one token per line. Throws: IoError; FormatError with the file.
MappedVocabulary ReadMarianVocabulary(const std::string& path, int64_t rows,
                                      Notes& notes);
/// Throws: IoError; FormatError unless the SentencePiece model has `rows`
/// pieces.
void CheckPieces(const std::string& path, int64_t rows);

/// The path without the ending .gz or .zst of a compressed file.
std::string Unpacked(const std::string& path);

/// A vocabulary as a map from tokens to ids. `file`: name for error messages.
struct TokenIds {
  std::map<std::string, int32_t> ids;
  std::string file;
};
/// Parses vocab.json of Hugging Face. Throws: FormatError.
TokenIds ParseTokenIds(const std::string& json, const std::string& file);
/// Reads a vocabulary of Marian, except .spm. Throws: IoError, FormatError.
TokenIds ReadTokenIds(const std::string& path);

/// Vocabularies of both sides.
struct MappedPair {
  MappedVocabulary source;
  MappedVocabulary target;
  bool same_tokens = false;  // equal ids are equal tokens
};
MappedPair MapJoint(const TokenIds& tokens, const TokenRows& special,
                    const SentencePieceModel& source,
                    const SentencePieceModel& target, int64_t rows,
                    Notes& notes);
MappedVocabulary MapOwn(const TokenIds& tokens, const TokenRows& special,
                        const SentencePieceModel& model, int64_t rows,
                        Notes& notes);

/// Maps the pieces of two SentencePiece models by Marian's ids, for tables with
/// these numbers of rows. Throws: FormatError.
MappedPair MapMarianPieces(const TokenIds& source_ids,
                           const TokenIds& target_ids,
                           const SentencePieceModel& source,
                           const SentencePieceModel& target,
                           int64_t source_rows, int64_t target_rows,
                           Notes& notes);

/// True for the mark of a target language in a source text, such as ">>fra<<".
bool IsLanguageMark(std::string_view token);

}  // namespace heed

#endif  // HEED_CONVERT_MAPPED_VOCABULARY_H_
