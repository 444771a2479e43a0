// Edit distance and the error rates made of it.
#ifndef HEED_METRICS_ERROR_RATE_H_
#define HEED_METRICS_ERROR_RATE_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace heed {

/// Fewest insertions, deletions and substitutions of one element that turn `a`
/// into `b` (Levenshtein). Needs size(), operator[] and == of the elements.
template <typename Sequence>
int64_t EditDistance(const Sequence& a, const Sequence& b) {
  // row[j] is the distance from the part of `a` read so far to b[0, j).
  std::vector<int64_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), int64_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    int64_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const int64_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// The right answers to one item, where there may be several.
using References = std::vector<std::string>;

/// Edits of words, split at white space, per word of the references. May exceed
/// 1. Throws: ShapeError if the numbers of sentences differ.
double WordErrorRate(std::span<const std::string> hypotheses,
                     std::span<const std::string> references);

/// The same with several references: the nearest one of each item counts, its
/// edits and its length, as is usual for words with several pronunciations; of
/// those equally near the shortest, which is the strictest.
/// Throws: as above; ShapeError if an item has no reference.
double WordErrorRate(std::span<const std::string> hypotheses,
                     std::span<const References> references);

/// Edits of characters (code points) per character of the references. May
/// exceed 1. Throws: ShapeError if the numbers of sentences differ.
double CharacterErrorRate(std::span<const std::string> hypotheses,
                          std::span<const std::string> references);

/// Share of hypotheses that equal their reference; 0 for no sentences.
/// Throws: ShapeError if the numbers of sentences differ.
double ExactMatchRate(std::span<const std::string> hypotheses,
                      std::span<const std::string> references);

/// The same with several references, one of which must be equal.
double ExactMatchRate(std::span<const std::string> hypotheses,
                      std::span<const References> references);

}  // namespace heed

#endif  // HEED_METRICS_ERROR_RATE_H_
