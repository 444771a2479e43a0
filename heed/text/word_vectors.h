// Vectors of words that were trained elsewhere, on much more text.
#ifndef HEED_TEXT_WORD_VECTORS_H_
#define HEED_TEXT_WORD_VECTORS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "heed/tensor/tensor.h"

namespace heed {

/// The row of a word that has no vector.
inline constexpr int32_t kNoVector = -1;

/// W words, each with a vector of D features. Immutable.
class WordVectors {
 public:
  /// The text format of word2vec, GloVe and fastText, plain or gzip: in each
  /// line a word and its D features between spaces, most frequent word first;
  /// before them there may be a line with W and D. A word may hold spaces (not
  /// the first one of a file without that line). Words are kept in NormalForm;
  /// of equal ones the first stays. Reads the first `max_words`, 0: all.
  /// Throws: IoError; FormatError that names the file and, if one line is
  /// wrong, its number.
  static WordVectors Read(const std::string& path, int max_words);

  /// What Serialize gave. Throws: FormatError that names `name`.
  static WordVectors Parse(std::string_view bytes, const std::string& name);
  std::string Serialize() const;

  /// W.
  int64_t size() const { return vectors_.dim(0); }
  /// D.
  int64_t features() const { return vectors_.dim(1); }

  /// The row of a word, else of its NormalForm, else of that in lower case,
  /// else kNoVector.
  int32_t Find(const std::string& word) const;
  /// f32 [rows.size(), D]; 0 for kNoVector.
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
