// Models of tokenizer.json: tokens of one piece of text.
#ifndef HEED_TEXT_TOKENIZER_MODEL_H_
#define HEED_TEXT_TOKENIZER_MODEL_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/tokenizer/part.h"
#include "heed/text/tokenizer/token_table.h"

namespace heed::tokens {

/// A token and its bytes in the piece.
struct PieceToken {
  int32_t id = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// Tokens of recent short pieces. For one thread at a time.
class PieceCache {
 public:
  static constexpr size_t kLongestPiece = 32;
  static constexpr size_t kMostTokens = 8;

  PieceCache() : entries_(kEntries) {}

  struct Entry {
    char bytes[kLongestPiece];
    uint8_t size = 0;
    uint8_t count = 0;
    uint8_t ends[kMostTokens];  // of each token in the piece
    int32_t ids[kMostTokens];
  };

  /// Entry in which a piece of 1 to kLongestPiece bytes is or belongs.
  Entry& At(std::string_view piece) {
    return entries_[HashOf(piece) % kEntries];
  }
  /// Memory for the symbols of a piece, to be used again.
  std::vector<PieceToken>& scratch() { return scratch_; }

  /// Appends the tokens of a piece at byte `offset`, as encode(piece, offset,
  /// tokens) appends them. Calls it only for pieces that are long or new.
  template <typename Encode>
  void EncodeThrough(std::string_view piece, uint32_t offset,
                     std::vector<PieceToken>& tokens, Encode&& encode) {
    if (piece.size() > kLongestPiece) return encode(piece, offset, tokens);
    Entry& entry = At(piece);
    if (std::string_view(entry.bytes, entry.size) == piece) {
      uint32_t begin = 0;
      for (size_t i = 0; i < entry.count; ++i) {
        tokens.push_back(
            {entry.ids[i], offset + begin, offset + entry.ends[i]});
        begin = entry.ends[i];
      }
      return;
    }
    const size_t first = tokens.size();
    encode(piece, offset, tokens);
    const std::span<const PieceToken> found =
        std::span<const PieceToken>(tokens).subspan(first);
    // Dropped characters leave gaps between tokens, which an entry cannot hold.
    size_t covered = 0;
    for (const PieceToken& token : found) covered += token.end - token.begin;
    if (found.size() > kMostTokens || covered != piece.size()) return;
    std::ranges::copy(piece, entry.bytes);
    entry.size = static_cast<uint8_t>(piece.size());
    entry.count = static_cast<uint8_t>(found.size());
    for (size_t i = 0; i < kMostTokens; ++i) {
      if (i == found.size()) break;
      entry.ids[i] = found[i].id;
      entry.ends[i] = static_cast<uint8_t>(found[i].end - offset);
    }
  }

 private:
  static constexpr size_t kEntries = 1 << 14;
  std::vector<Entry> entries_;
  std::vector<PieceToken> scratch_;
};

/// Splits a piece into tokens. Immutable; thread-safe.
class Model {
 public:
  virtual ~Model() = default;
  /// Appends the tokens of a piece that is not empty.
  virtual void Encode(std::string_view piece, PieceCache& cache,
                      std::vector<PieceToken>& tokens) const = 0;
};

/// Vocabulary and merges of a file, in the order of the file.
struct ModelTables {
  std::vector<std::string> texts;  ///< by id; "" for ids without a token
  /// Parts of the merges: left, right, left ...
  std::vector<std::string> merges;
  std::vector<double> scores;  ///< by id, if the vocabulary has scores
  bool scored = false;         ///< the vocabulary is a list of [token, score]
};

/// Options of byte-pair encoding.
struct BpeOptions {
  /// Pieces are bytes, and tokens must be read by BytesOfToken().
  bool bytes = false;
  bool ignore_merges = false;
  bool fuse_unknown = false;
  bool byte_fallback = false;
  int32_t unknown = -1;  ///< id for unknown characters; −1: they are dropped
  std::string prefix;    ///< of characters that do not begin a piece
  std::string suffix;    ///< of the last character of a piece
};

/// WordPiece: the longest tokens from left to right, or the unknown token.
/// `vocabulary` must outlive the model. Throws: FormatError.
std::unique_ptr<const Model> ReadWordPiece(const Part& part,
                                           const TokenTable& vocabulary);
/// WordLevel: each piece is one token or the unknown token.
std::unique_ptr<const Model> ReadWordLevel(const Part& part,
                                           const TokenTable& vocabulary);

/// Ids of <0x00> to <0xFF>; −1 for those that are missing.
std::array<int32_t, 256> ByteTokenIds(const TokenTable& vocabulary);

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_MODEL_H_
