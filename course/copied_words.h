// Copying sentences, word by word: what comes back of a sentence that a model
// has read.
#ifndef HEED_COURSE_COPIED_WORDS_H_
#define HEED_COURSE_COPIED_WORDS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/data/corpus.h"

namespace heed {

/// Words of the sentence that are asked for by name, from 0.
struct MarkedWords {
  const char* words;
  int64_t begin;
  int64_t end;
};

/// One sentence of 97 words that mentions at its end who was named at its
/// beginning, as long sentences of novels do.
const std::string& LongSentence();
/// blind man, stole his car, car-thief, poor.
std::span<const MarkedWords> MarkedInLongSentence();

/// Sentences of words of the long sentence, each drawn by itself, of `shortest`
/// to `longest` words; each is its own translation. Same seed, same sentences.
/// Throws: ConfigError unless 1 <= shortest <= longest.
ParallelText MakeCopies(int64_t sentences, int64_t shortest, int64_t longest,
                        uint64_t seed);

/// What became of a word of a sentence.
enum class Returned : uint8_t { kLost, kElsewhere, kInPlace };

/// Of each word of `sentence`: in place, where `written` has it at the same
/// position; elsewhere, where `written` has it next to a neighbour that it has
/// in the sentence, in the same order; else lost.
std::vector<Returned> CameBack(const std::string& sentence,
                               const std::string& written);

/// How much came back of sentences of one length.
struct CopiedShare {
  double words = 0;                 ///< at their places. Units: percent
  std::vector<double> by_position;  ///< the same of each place
};

/// Throws: ShapeError unless the lines are as many, and of one length.
CopiedShare ShareCopied(std::span<const std::string> sentences,
                        std::span<const std::string> written);

/// The length at which the share falls below `least`, on the lines between the
/// points; none if it does not. `lengths` ascend. Where it is below at the
/// first length, that one.
std::optional<double> ReferenceWindow(std::span<const double> lengths,
                                      std::span<const double> shares,
                                      double least);

}  // namespace heed

#endif  // HEED_COURSE_COPIED_WORDS_H_
