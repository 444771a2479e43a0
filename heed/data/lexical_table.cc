#include "heed/data/lexical_table.h"

#include <algorithm>
#include <numeric>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"

namespace heed {
namespace {

/// Number of chunks of source words. Each chunk needs a mark per target word.
constexpr int64_t kParts = 256;

void CheckIds(std::span<const std::vector<int32_t>> sentences, int32_t size) {
  for (const std::vector<int32_t>& sentence : sentences) {
    for (const int32_t id : sentence) {
      if (id < 0 || id >= size) {
        throw ShapeError("lexical table: word {} of a vocabulary of {}", id,
                         size);
      }
    }
  }
}

/// Sentences of each word, in ascending order: those of word w are at first[w]
/// to first[w + 1].
struct Occurrences {
  std::vector<int64_t> first;
  std::vector<int32_t> sentences;

  Occurrences(std::span<const std::vector<int32_t>> text, int32_t size)
      : first(static_cast<size_t>(size) + 1) {
    std::vector<int32_t> seen(static_cast<size_t>(size), -1);
    const auto for_words = [&](const auto& body) {
      std::ranges::fill(seen, -1);
      for (size_t i = 0; i < text.size(); ++i) {
        for (const int32_t word : text[i]) {
          int32_t& last = At(seen, word);
          if (last == static_cast<int32_t>(i)) continue;
          last = static_cast<int32_t>(i);
          body(static_cast<size_t>(word), last);
        }
      }
    };
    for_words([&](size_t word, int32_t) { ++first[word + 1]; });
    std::partial_sum(first.begin(), first.end(), first.begin());
    sentences.resize(static_cast<size_t>(first.back()));
    std::vector<int64_t> next(first.begin(), first.end() - 1);
    for_words([&](size_t word, int32_t sentence) {
      At(sentences, next[word]++) = sentence;
    });
  }
};

}  // namespace

LexicalTable::LexicalTable(const IdPairs& pairs, int32_t source_size,
                           int32_t target_size, bool null_word, double value) {
  if (pairs.source.size() != pairs.target.size()) {
    throw ShapeError("lexical table: {} source and {} target sentences",
                     pairs.source.size(), pairs.target.size());
  }
  CheckIds(pairs.source, source_size);
  CheckIds(pairs.target, target_size);
  const Occurrences occurrences(pairs.source, source_size);
  std::vector<std::vector<int32_t>> rows(static_cast<size_t>(source_size) +
                                         (null_word ? 1 : 0));
  ParallelFor(source_size, source_size / kParts + 1,
              [&](int64_t begin, int64_t end) {
                std::vector<int32_t> seen(static_cast<size_t>(target_size), -1);
                for (auto s = static_cast<int32_t>(begin); s < end; ++s) {
                  std::vector<int32_t>& row = At(rows, s);
                  for (int64_t k = At(occurrences.first, s);
                       k < occurrences.first[static_cast<size_t>(s) + 1]; ++k) {
                    const auto sentence =
                        static_cast<size_t>(At(occurrences.sentences, k));
                    for (const int32_t t : pairs.target[sentence]) {
                      int32_t& last = At(seen, t);
                      if (last == s) continue;
                      last = s;
                      row.push_back(t);
                    }
                  }
                  std::ranges::sort(row);
                }
              });
  if (null_word) {
    // Includes words that do not occur, so that a word's position is its id.
    rows.back().resize(static_cast<size_t>(target_size));
    std::iota(rows.back().begin(), rows.back().end(), 0);
  }
  first_ = {0};
  for (const std::vector<int32_t>& row : rows) {
    first_.push_back(first_.back() + std::ssize(row));
  }
  targets_.reserve(static_cast<size_t>(first_.back()));
  for (std::vector<int32_t>& row : rows) {
    targets_.insert(targets_.end(), row.begin(), row.end());
    std::vector<int32_t>().swap(row);
  }
  values_.assign(targets_.size(), value);
}

int64_t LexicalTable::Place(int32_t row, int32_t target) const {
  const std::span<const int32_t> words = targets(row);
  // A row of all words is indexed directly.
  const auto own = static_cast<size_t>(target);
  if (own < words.size() && words[own] == target) return first(row) + target;
  const auto found = std::ranges::lower_bound(words, target);
  if (found == words.end() || *found != target) return -1;
  return first(row) + (found - words.begin());
}

}  // namespace heed
