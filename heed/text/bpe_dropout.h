// BPE-dropout: random subword segmentation.
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

/// Byte-pair encoding in which merges are skipped at random. A word starts as
/// characters. The adjacent pair that is earliest in the vocabulary is merged
/// until no pair is left. Before each merge, every pair is ignored with the
/// given probability. A model that sees varied segmentations generalises
/// better.
/// Paper: Provilkov et al. 2020, arXiv:1910.13267.
class BpeDropout {
 public:
  /// Throws: ConfigError for a kind other than bpe or a probability outside [0,
  /// 1).
  BpeDropout(Vocabulary vocabulary, double probability);

  /// Random segmentation of the text of `ids`. With probability 0, the result
  /// equals `ids` if they come from Vocabulary::Encode. Special tokens and
  /// bytes are kept.
  std::vector<int32_t> Segment(std::span<const int32_t> ids, Rng& rng) const;

 private:
  void AppendWord(std::string_view word, Rng& rng,
                  std::vector<int32_t>& ids) const;

  Vocabulary vocabulary_;
  double probability_;
  /// Pieces to ids without special tokens and bytes; keys are views of the
  /// vocabulary's pieces.
  std::unordered_map<std::string_view, int32_t> ids_;
};

}  // namespace heed

#endif  // HEED_TEXT_BPE_DROPOUT_H_
