// Letters and the same backwards: the smallest translation whose alignment is
// known.
#ifndef HEED_COURSE_REVERSED_LETTERS_H_
#define HEED_COURSE_REVERSED_LETTERS_H_

#include <cstdint>

#include "heed/data/corpus.h"
#include "heed/explain/explanation.h"

namespace heed {

/// `count` lines of 3 to `longest` of twelve letters, no letter twice, with
/// spaces between: "c a f" and "f a c". Deterministic in `seed`. Range: 3 ≤
/// longest ≤ 12.
ParallelText ReversedLetters(int count, int longest, uint64_t seed);

/// How many targets attend most to the item that they repeat, and how many
/// have an item to repeat; the end of a line, </s>, is none.
struct RepeatedItems {
  int64_t found = 0;
  int64_t all = 0;
};
RepeatedItems CountRepeated(const ExplanationSegment& segment);

}  // namespace heed

#endif  // HEED_COURSE_REVERSED_LETTERS_H_
