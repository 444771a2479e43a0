// Synthetic stories about the places of people and things. The sentences that
// an answer follows from are known.
#ifndef HEED_COURSE_DATA_FACTS_H_
#define HEED_COURSE_DATA_FACTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/passages.h"

namespace heed {

struct FactOptions {
  int facts = 1;          ///< supporting sentences of an answer: 1 to 3
  int min_sentences = 5;  ///< of a story
  int max_sentences = 15;
};

/// A story of people who move and take, carry and put down things, one sentence
/// per line. All places that it names are candidates:
///   1 fact   "Where is Anna?": the last move of Anna
///   2 facts  "Where is the lamp?": who took or put it down last, and the place
///            of that person then, or later if the lamp was carried
///   3 facts  "Where was the lamp before the cellar?": who took it, and two
///            places to which that person carried it
struct FactStory {
  PassageQuestion question;
  std::vector<int64_t> facts;  ///< supporting sentences, from 0
};

/// Makes story number `number` of a seed, equal on every platform. Throws:
/// ConfigError for other numbers of facts, or fewer than 5 or more than 1000
/// sentences.
FactStory MakeFactStory(const FactOptions& options, uint64_t seed,
                        int64_t number);

/// Makes the stories [first, first + count).
std::vector<PassageQuestion> MakeFactQuestions(const FactOptions& options,
                                               uint64_t seed, int64_t first,
                                               int64_t count);
/// Returns the stories [first, first + count) as a file of format jsonl.
std::string FactFile(const FactOptions& options, uint64_t seed, int64_t first,
                     int64_t count);

}  // namespace heed

#endif  // HEED_COURSE_DATA_FACTS_H_
