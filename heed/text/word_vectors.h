// Pretrained word vectors.
#ifndef HEED_TEXT_WORD_VECTORS_H_
#define HEED_TEXT_WORD_VECTORS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "heed/tensor/tensor.h"

namespace heed {

/// Row index of a word without a vector.
inline constexpr int32_t kNoVector = -1;

/// W words, each with a vector of D features. Immutable.
class WordVectors {
 public:
  /// Reads the text format of word2vec, GloVe and fastText, plain or gzip. Each
  /// line has a word and its D features separated by spaces, most frequent word
  /// first. An optional first line has W and D. A word may contain spaces,
  /// except the first one of a file without W and D. Words are stored in
  /// NormalForm; of duplicates the first is kept. Reads the first `max_words`,
  /// 0: all.
  /// Throws: IoError; FormatError that names the file and, for an invalid line,
  /// its number.
  static WordVectors Read(const std::string& path, int max_words);

  /// Parses the result of Serialize. Throws: FormatError that names `name`.
  static WordVectors Parse(std::string_view bytes, const std::string& name);
  std::string Serialize() const;

  /// Number of words W.
  int64_t size() const { return vectors_.dim(0); }
  /// Number of features D.
  int64_t features() const { return vectors_.dim(1); }

  /// Row of a word, of its NormalForm, or of that in lower case, whichever
  /// exists first; else kNoVector.
  int32_t Find(const std::string& word) const;
  /// Vectors of rows, f32 [rows.size(), D]; 0 for kNoVector.
  Tensor Gather(std::span<const int32_t> rows) const;

 private:
  using Rows = std::unordered_map<std::string, int32_t>;
  class Reader;

  WordVectors(Rows rows, Tensor vectors);

  Rows rows_;
  Tensor vectors_;
};

}  // namespace heed

#endif  // HEED_TEXT_WORD_VECTORS_H_
