// Sentences of more words than are read together.
#ifndef HEED_TASKS_TAG_LONG_SENTENCES_H_
#define HEED_TASKS_TAG_LONG_SENTENCES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heed/data/conll.h"

namespace heed::tag {

/// Sentences in parts, and which sentence each is a part of.
struct DividedSentences {
  std::vector<TaggedSentence> parts;
  std::vector<size_t> sentence;
};

/// Sentences of more words than `limit` in parts, with a warning that counts
/// them from `first`.
DividedSentences Divide(std::span<const TaggedSentence> sentences,
                        int64_t limit, int64_t first = 0);

}  // namespace heed::tag

#endif  // HEED_TASKS_TAG_LONG_SENTENCES_H_
