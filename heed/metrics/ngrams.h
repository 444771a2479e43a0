// Counts of the n-grams of one sentence, for BLEU (words) and chrF
// (characters).
#ifndef HEED_METRICS_NGRAMS_H_
#define HEED_METRICS_NGRAMS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>

namespace heed {

using NgramCounts = std::unordered_map<std::string_view, int64_t>;

/// Number of occurrences of each n-gram. The units are consecutive views into
/// one buffer; a key is the part of the buffer that its units span.
NgramCounts CountNgrams(std::span<const std::string_view> units, int n);

/// Σ over n-grams of min(count in a, count in b): the clipped matches.
int64_t CommonNgrams(const NgramCounts& a, const NgramCounts& b);

/// Number of n-grams of length `n` in a sequence of `length` units.
inline int64_t NgramTotal(size_t length, int n) {
  const auto total = static_cast<int64_t>(length) - n + 1;
  return total > 0 ? total : 0;
}

}  // namespace heed

#endif  // HEED_METRICS_NGRAMS_H_
