// Division of sentences that are too long for the model.
#ifndef HEED_TASKS_TAG_LONG_SENTENCES_H_
#define HEED_TASKS_TAG_LONG_SENTENCES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heed/data/conll.h"

namespace heed::tag {

/// Parts of sentences, and the index of each part's sentence.
struct DividedSentences {
  std::vector<TaggedSentence> parts;
  std::vector<size_t> sentence;
};

/// Divides sentences of more than `limit` words, with a warning that counts
/// sentences from `first`.
DividedSentences Divide(std::span<const TaggedSentence> sentences,
                        int64_t limit, int64_t first = 0);

}  // namespace heed::tag

#endif  // HEED_TASKS_TAG_LONG_SENTENCES_H_
