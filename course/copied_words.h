// Accuracy of copied sentences, word by word.
#ifndef HEED_COURSE_COPIED_WORDS_H_
#define HEED_COURSE_COPIED_WORDS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/data/corpus.h"

namespace heed {

/// A range of words of the long sentence, counted from 0, that reports cite.
struct MarkedWords {
  const char* words;
  int64_t begin;
  int64_t end;
};

/// A sentence of 97 words whose end refers to people named at its beginning,
/// similar to long sentences in novels.
const std::string& LongSentence();
/// Ranges of "blind man", "stole his car", "car-thief" and "poor".
std::span<const MarkedWords> MarkedInLongSentence();

/// Makes sentences of `shortest` to `longest` words, drawn independently from
/// the words of the long sentence. Each sentence is its own translation.
/// Deterministic in `seed`. Throws: ConfigError unless 1 <= shortest <=
/// longest.
ParallelText MakeCopies(int64_t sentences, int64_t shortest, int64_t longest,
                        uint64_t seed);

/// Result of copying one word of a sentence.
enum class Returned : uint8_t { kLost, kElsewhere, kInPlace };

/// Returns the result for each word of `sentence`. kInPlace: `written` has the
/// word at the same position. kElsewhere: `written` has the word next to one of
/// its neighbours in `sentence`, in the same order. kLost: neither.
std::vector<Returned> CameBack(const std::string& sentence,
                               const std::string& written);

/// Accuracy of copied sentences of one length.
struct CopiedShare {
  double words = 0;                 ///< percent of words at their positions
  std::vector<double> by_position;  ///< percent, per position
};

/// Throws: ShapeError unless both have as many lines and all sentences one
/// length.
CopiedShare ShareCopied(std::span<const std::string> sentences,
                        std::span<const std::string> written);

/// Returns the length at which the share falls below `min`, interpolated
/// linearly between the points; none if it never does. `lengths` ascend.
/// Returns the first length if its share is already below.
std::optional<double> ReferenceWindow(std::span<const double> lengths,
                                      std::span<const double> shares,
                                      double min);

}  // namespace heed

#endif  // HEED_COURSE_COPIED_WORDS_H_
