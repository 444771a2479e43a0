// Words of sentences that are split already, as the tokens of a text encoder.
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
  /// What is read at once. Units: tokens, marks included; 0: no limit.
  int max_length = 0;
  bool lowercase = false;
};

/// Neighbouring words of a sentence as <s> pieces </s>, with the marks of the
/// vocabulary ([CLS] and [SEP] of WordPiece).
struct PieceChunk {
  std::vector<int32_t> ids;
  /// Of each word that is read here, in order: where its first piece stands.
  /// Others, before or behind them, are there to be looked at.
  std::vector<int32_t> first;
};

/// A sentence as one chunk or, if it is longer than max_length, as several of
/// whole words. Neighbours share words of up to a quarter of their tokens, of
/// which each reads the half that is further from its edge; every word is read
/// once. A word that does not fit even alone loses its end; one without any
/// piece (of control characters, say) is one unknown token. Without words
/// there is one chunk, of the marks.
/// Throws: ConfigError for a limit that has no room for a piece.
std::vector<PieceChunk> CutIntoPieces(const Vocabulary& vocabulary,
                                      const Words& sentence,
                                      const PieceOptions& options);

/// The chunks of each sentence.
using PieceCorpus = std::vector<std::vector<PieceChunk>>;

/// All sentences, on all threads. Throws: as CutIntoPieces.
PieceCorpus EncodePieces(const Vocabulary& vocabulary,
                         std::span<const Words> sentences,
                         const PieceOptions& options);

/// R chunks of B sentences of T words, batch-first, padded at the end with
/// kPad. All i32; token s of chunk r has place r S + s.
struct PieceBatch {
  Tensor ids;            ///< [R, S]
  Tensor chunk_lengths;  ///< [R]
  Tensor first;          ///< [B, T]: place of each word's first piece; else 0
  Tensor start;          ///< [B]: place of the <s> of the first chunk
  Tensor lengths;        ///< [B], of words
};

/// The sentences at `indices`, in that order.
PieceBatch MakePieceBatch(const PieceCorpus& corpus,
                          std::span<const int64_t> indices);

}  // namespace heed

#endif  // HEED_TEXT_PIECES_H_
