// Sparse table with a value for each pair of co-occurring words.
#ifndef HEED_DATA_LEXICAL_TABLE_H_
#define HEED_DATA_LEXICAL_TABLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/at.h"

namespace heed {

/// Parallel sentences as word ids from 0: sentence i of `source` translates to
/// sentence i of `target`. Does not own the sentences.
struct IdPairs {
  std::span<const std::vector<int32_t>> source;
  std::span<const std::vector<int32_t>> target;
};

/// Sparse matrix with a row per source word. A row has the target words that
/// co-occur with it, in ascending order, with their values. Memory: 12 bytes
/// per pair of co-occurring words, independent of the vocabulary sizes.
/// Concurrent reads are safe.
class LexicalTable {
 public:
  /// Builds the table on all threads, with all values set to `value`. With
  /// `null_word`, row `source_size` is the empty word, with all target words.
  /// Throws: ShapeError if the sides differ in length or an id is too large.
  LexicalTable(const IdPairs& pairs, int32_t source_size, int32_t target_size,
               bool null_word, double value);

  int32_t rows() const { return static_cast<int32_t>(first_.size()) - 1; }
  int64_t size() const { return static_cast<int64_t>(targets_.size()); }
  /// Position of a row's first value; size() for row rows().
  int64_t first(int32_t row) const { return At(first_, row); }

  /// Position of a pair's value; −1 if the words never co-occur.
  int64_t Place(int32_t row, int32_t target) const;

  std::span<const int32_t> targets(int32_t row) const {
    return std::span(targets_).subspan(Offset(row), Length(row));
  }
  std::span<const double> values(int32_t row) const {
    return std::span(values_).subspan(Offset(row), Length(row));
  }
  std::span<double> values(int32_t row) {
    return std::span(values_).subspan(Offset(row), Length(row));
  }
  double value(int64_t place) const { return At(values_, place); }

 private:
  size_t Offset(int32_t row) const { return static_cast<size_t>(first(row)); }
  size_t Length(int32_t row) const {
    return static_cast<size_t>(first(row + 1) - first(row));
  }

  std::vector<int64_t> first_;
  std::vector<int32_t> targets_;
  std::vector<double> values_;
};

}  // namespace heed

#endif  // HEED_DATA_LEXICAL_TABLE_H_
