#include "heed/tasks/translate/guided_alignment.h"

#include <vector>

namespace heed::translate {

Tensor LinkTargets(std::span<const LinkedPair> pairs, int64_t T, int64_t S,
                   bool shift) {
  Tensor targets = Tensor::Zeros({std::ssize(pairs), T, S});
  for (size_t b = 0; b < pairs.size(); ++b) {
    const LinkedPair& pair = pairs[b];
    Tensor own = targets[static_cast<int64_t>(b)];
    for (size_t t = 0; t < pair.target_words.size(); ++t) {
      const int64_t row = static_cast<int64_t>(t) + (shift ? 1 : 0);
      if (pair.target_words[t] < 0 || row >= T) continue;
      std::vector<size_t> pieces;
      for (size_t s = 0; s < pair.source_words.size(); ++s) {
        if (pair.links->contains(
                {pair.source_words[s], pair.target_words[t]})) {
          pieces.push_back(s);
        }
      }
      for (const size_t s : pieces) {
        own.row<float>(row)[s] = 1.0F / static_cast<float>(pieces.size());
      }
    }
  }
  return targets;
}

}  // namespace heed::translate
