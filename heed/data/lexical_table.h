// A number for each pair of words that occur in one pair of sentences.
#ifndef HEED_DATA_LEXICAL_TABLE_H_
#define HEED_DATA_LEXICAL_TABLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/at.h"

namespace heed {

/// Sentence i of `source` translates to sentence i of `target`: ids of words
/// from 0. The sentences belong to the caller.
struct IdPairs {
  std::span<const std::vector<int32_t>> source;
  std::span<const std::vector<int32_t>> target;
};

/// Rows of source words, each with the target words that occur beside it, in
/// ascending order, and a value of each. Memory: 12 bytes for each pair of
/// words that occur together, whatever the sizes of the vocabularies.
/// Reading is safe from many threads.
class LexicalTable {
 public:
  /// On all threads. With `null_word` the row `source_size` stands for the
  /// empty word, beside which all target words occur. All values are `value`.
  /// Throws: ShapeError if the sides differ in length or an id is too large.
  LexicalTable(const IdPairs& pairs, int32_t source_size, int32_t target_size,
               bool null_word, double value);

  int32_t rows() const { return static_cast<int32_t>(first_.size()) - 1; }
  int64_t size() const { return static_cast<int64_t>(targets_.size()); }
  /// Where a row begins; of rows(): size().
  int64_t first(int32_t row) const { return At(first_, row); }

  /// Where the pair stands, or −1 if it never occurs; `row` is one of rows().
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
