// Word dropout for rare words.
#ifndef HEED_TEXT_RARE_WORDS_H_
#define HEED_TEXT_RARE_WORDS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/rng.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Replaces words by the unknown word with probability α / (α + n) per use,
/// where n is the number of occurrences of the word in the text. The model thus
/// learns to read rare words, such as names, from their context, as it must for
/// unknown words. Frequent words are mostly kept. Immutable.
/// Paper: Kiperwasser and Goldberg 2016, arXiv:1603.04351.
class RareWordDropout {
 public:
  /// `text`: sentences of ids, with kUnk for unknown words. Range: alpha ≥ 0.
  RareWordDropout(std::span<const std::vector<int32_t>> text, double alpha);

  /// Replaces word ids at random by kUnk. Shapes: words i32 [...].
  void Apply(Tensor& words, Rng& rng) const;

 private:
  std::vector<double> probabilities_;  // per id
};

}  // namespace heed

#endif  // HEED_TEXT_RARE_WORDS_H_
