// Tokenised sentences as subword pieces for a text encoder.
#ifndef HEED_TEXT_PIECES_H_
#define HEED_TEXT_PIECES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/tensor.h"
#include "heed/text/vocabulary.h"
#include "heed/text/words.h"

namespace heed {

struct PieceOptions {
  /// Maximum chunk length. Units: tokens, including special tokens; 0: no
  /// limit.
  int max_length = 0;
  bool lowercase = false;
};

/// Consecutive words of a sentence as <s> pieces </s>, with the special tokens
/// of the vocabulary ([CLS] and [SEP] of WordPiece).
struct PieceChunk {
  std::vector<int32_t> ids;
  /// Index of the first piece of each word that this chunk encodes, in order.
  /// Other words before or after them are context.
  std::vector<int32_t> first;
};

/// Splits a sentence into one chunk or, if it is longer than max_length, into
/// several chunks of whole words. Adjacent chunks overlap by up to a quarter of
/// their tokens; each encodes the half of the overlap that is further from its
/// edge. Every word is encoded once. A word that exceeds a chunk is truncated.
/// A word without any piece (such as control characters) is one unknown token.
/// Without words there is one chunk with the special tokens only.
/// Throws: ConfigError for a limit without room for a piece.
std::vector<PieceChunk> CutIntoPieces(const Vocabulary& vocabulary,
                                      const Words& sentence,
                                      const PieceOptions& options);

/// Chunks of each sentence.
using PieceCorpus = std::vector<std::vector<PieceChunk>>;

/// Encodes all sentences on all threads. Throws: as CutIntoPieces.
PieceCorpus EncodePieces(const Vocabulary& vocabulary,
                         std::span<const Words> sentences,
                         const PieceOptions& options);

/// A batch of R chunks with up to S tokens, from B sentences with up to T
/// words, batch-first and padded at the end with kPad. All i32. Token s of
/// chunk r has index r S + s.
struct PieceBatch {
  Tensor ids;            ///< [R, S]
  Tensor chunk_lengths;  ///< [R]
  Tensor first;          ///< [B, T]: index of each word's first piece; else 0
  Tensor start;          ///< [B]: index of <s> of the first chunk
  Tensor lengths;        ///< [B]: number of words
};

/// Batch of the sentences at `indices`, in that order.
PieceBatch MakePieceBatch(const PieceCorpus& corpus,
                          std::span<const int64_t> indices);

}  // namespace heed

#endif  // HEED_TEXT_PIECES_H_
