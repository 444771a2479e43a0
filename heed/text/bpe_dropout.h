// The same text in other subwords, anew each time it is seen.
#ifndef HEED_TEXT_BPE_DROPOUT_H_
#define HEED_TEXT_BPE_DROPOUT_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/base/rng.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// Byte-pair merges of which some are left out. A word starts as characters,
/// and the pair of neighbours that the vocabulary merges first becomes one, as
/// long as there is a pair; before each merge every pair is out of the question
/// with the given probability. A model that sees words split in many ways
/// learns what the pieces share.
/// Paper: Provilkov et al. 2020, arXiv:1910.13267.
class BpeDropout {
 public:
  /// Throws: ConfigError for another kind than bpe; for a probability that is
  /// not in [0, 1).
  BpeDropout(Vocabulary vocabulary, double probability);

  /// Tokens of the text that `ids` spell; with probability 0 these themselves,
  /// if Vocabulary::Encode gave them. Special tokens and bytes stay.
  std::vector<int32_t> Segment(std::span<const int32_t> ids, Rng& rng) const;

 private:
  void AppendWord(std::string_view word, Rng& rng,
                  std::vector<int32_t>& ids) const;

  Vocabulary vocabulary_;
  double probability_;
  /// Views of the vocabulary's pieces, but for special tokens and bytes.
  std::unordered_map<std::string_view, int32_t> ids_;
};

}  // namespace heed

#endif  // HEED_TEXT_BPE_DROPOUT_H_
