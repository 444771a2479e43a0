// Rare words taken for unknown ones: what a model learns to do without.
#ifndef HEED_TEXT_RARE_WORDS_H_
#define HEED_TEXT_RARE_WORDS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/rng.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Of a word that occurs n times in a text, α / (α + n) of its uses become the
/// unknown word, chosen anew each time. So words of names are read by what
/// stands around them, as the unknown ones to come, while those that make up
/// sentences stay as they are. Immutable.
/// Paper: Kiperwasser and Goldberg 2016, arXiv:1603.04351.
class RareWordDropout {
 public:
  /// `text`: sentences of ids, with kUnk for unknown words. Range: alpha ≥ 0.
  RareWordDropout(std::span<const std::vector<int32_t>> text, double alpha);

  /// Replaces ids that stand for a word by kUnk. Shapes: words i32 [...].
  void Apply(Tensor& words, Rng& rng) const;

 private:
  std::vector<double> probabilities_;  // of each id
};

}  // namespace heed

#endif  // HEED_TEXT_RARE_WORDS_H_
