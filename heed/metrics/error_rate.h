// Edit distance and the error rates based on it.
#ifndef HEED_METRICS_ERROR_RATE_H_
#define HEED_METRICS_ERROR_RATE_H_

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace heed {

/// Edit distance of two sequences of elements numbered from 0 below `kinds`.
int64_t EditDistanceOfNumbers(std::span<const int32_t> a,
                              std::span<const int32_t> b, int32_t kinds);

/// Levenshtein distance: fewest insertions, deletions and substitutions of one
/// element that turn `a` into `b`. Takes |a| |b| / 64 steps and little memory,
/// so that whole documents can be compared. Elements need a std::hash.
/// Paper: Myers 1999, doi:10.1145/316542.316550; for blocks: Hyyrö 2003.
template <typename Sequence>
int64_t EditDistance(const Sequence& a, const Sequence& b) {
  std::unordered_map<typename Sequence::value_type, int32_t> numbers;
  const auto numbered = [&numbers](const Sequence& sequence) {
    std::vector<int32_t> result;
    result.reserve(sequence.size());
    for (const auto& element : sequence) {
      result.push_back(
          numbers.emplace(element, static_cast<int32_t>(numbers.size()))
              .first->second);
    }
    return result;
  };
  const std::vector<int32_t> from = numbered(a);
  const std::vector<int32_t> to = numbered(b);
  return EditDistanceOfNumbers(from, to, static_cast<int32_t>(numbers.size()));
}

/// Alternative correct answers to one item.
using References = std::vector<std::string>;

/// Edits of words, split at white space, per word of the references. May exceed
/// 1. Throws: ShapeError if the numbers of sentences differ.
double WordErrorRate(std::span<const std::string> hypotheses,
                     std::span<const std::string> references);

/// Word error rate with several references per item. The reference with the
/// fewest edits counts, by its edits and its length, as is usual for words with
/// several pronunciations. Among equally near references the shortest counts,
/// which is the strictest.
/// Throws: ShapeError if the numbers of sentences differ or an item has no
/// reference.
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

/// Share of hypotheses that equal one of their references; 0 for no sentences.
/// Throws: ShapeError if the numbers of sentences differ or an item has no
/// reference.
double ExactMatchRate(std::span<const std::string> hypotheses,
                      std::span<const References> references);

}  // namespace heed

#endif  // HEED_METRICS_ERROR_RATE_H_
