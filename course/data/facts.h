// Made-up stories of who is where and has what: reading that needs no files,
// and of which it is known which sentences an answer follows from.
#ifndef HEED_COURSE_DATA_FACTS_H_
#define HEED_COURSE_DATA_FACTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/passages.h"

namespace heed {

struct FactOptions {
  int facts = 1;            ///< sentences that an answer follows from: 1 to 3
  int least_sentences = 5;  ///< of a story
  int most_sentences = 15;
};

/// A story of people who go to places and take, carry and put down things, a
/// sentence on each line, with all places that it names as candidates:
///   1 fact   "Where is Anna?": where she went last
///   2 facts  "Where is the lamp?": who took or put it down last, and where
///            that one was then or, with the lamp, went since
///   3 facts  "Where was the lamp before the cellar?": who took it, and two
///            places where that one was with it
struct FactStory {
  PassageQuestion question;
  std::vector<int64_t> facts;  ///< the sentences, from 0
};

/// Story number `number` of a seed: the same one on every platform. Throws:
/// ConfigError for other numbers of facts, or fewer than 5 or more than 1000
/// sentences.
FactStory MakeFactStory(const FactOptions& options, uint64_t seed,
                        int64_t number);

/// Stories [first, first + count).
std::vector<PassageQuestion> MakeFactQuestions(const FactOptions& options,
                                               uint64_t seed, int64_t first,
                                               int64_t count);
/// The same as a file of format jsonl.
std::string FactFile(const FactOptions& options, uint64_t seed, int64_t first,
                     int64_t count);

}  // namespace heed

#endif  // HEED_COURSE_DATA_FACTS_H_
