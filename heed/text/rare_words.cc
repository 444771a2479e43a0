#include "heed/text/rare_words.h"

#include "heed/text/vocabulary.h"

namespace heed {

RareWordDropout::RareWordDropout(std::span<const std::vector<int32_t>> text,
                                 double alpha) {
  std::vector<double> counts;
  for (const std::vector<int32_t>& sentence : text) {
    for (const int32_t id : sentence) {
      const auto i = static_cast<size_t>(id);
      if (i >= counts.size()) counts.resize(i + 1);
      ++counts[i];
    }
  }
  for (const double n : counts) {
    // Ids without occurrences, such as padding, are never dropped.
    probabilities_.push_back(n > 0 ? alpha / (alpha + n) : 0);
  }
}

void RareWordDropout::Apply(Tensor& words, Rng& rng) const {
  for (int64_t i = 0; i < words.numel(); ++i) {
    int32_t& id = words.data<int32_t>()[i];
    const auto word = static_cast<size_t>(id);
    if (word >= probabilities_.size() || probabilities_[word] == 0) continue;
    if (rng.Uniform() < probabilities_[word]) id = kUnk;
  }
}

}  // namespace heed
