// Sequences of letters and their reversals: the smallest translation task with
// known alignments.
#ifndef HEED_COURSE_REVERSED_LETTERS_H_
#define HEED_COURSE_REVERSED_LETTERS_H_

#include <cstdint>

#include "heed/data/corpus.h"
#include "heed/explain/explanation.h"

namespace heed {

/// Makes `count` lines of 3 to `longest` distinct letters out of twelve,
/// separated by spaces: "c a f" and "f a c". Deterministic in `seed`. Range: 3
/// ≤ longest ≤ 12.
ParallelText ReversedLetters(int count, int longest, uint64_t seed);

/// Number of targets whose largest weight is at the item that they repeat, and
/// number of targets that repeat an item. The end of a line, </s>, repeats
/// none.
struct RepeatedItems {
  int64_t found = 0;
  int64_t all = 0;
};
RepeatedItems CountRepeated(const ExplanationSegment& segment);

}  // namespace heed

#endif  // HEED_COURSE_REVERSED_LETTERS_H_
