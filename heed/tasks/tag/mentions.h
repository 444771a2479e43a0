// Entities of tagged text in the place of each other: more text to learn from.
#ifndef HEED_TASKS_TAG_MENTIONS_H_
#define HEED_TASKS_TAG_MENTIONS_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "heed/base/rng.h"
#include "heed/data/conll.h"
#include "heed/metrics/spans.h"

namespace heed::tag {

/// The entities of a text, by their type. Immutable.
/// Paper: Dai and Adel 2020, arXiv:2010.11683 (mention replacement).
class Mentions {
 public:
  /// The tags must be in this notation, which is not that of brackets.
  Mentions(std::span<const TaggedSentence> sentences,
           const TagNotation& notation);

  /// The sentence, which has a tag for each word, with each of its entities,
  /// with this probability, replaced by one of the same type, as often as each
  /// occurs. Words and tags go together.
  TaggedSentence Replace(const TaggedSentence& sentence, double probability,
                         Rng& rng) const;

 private:
  struct Mention {
    std::vector<std::string> words;
    std::vector<std::string> tags;
  };
  TagNotation notation_;
  std::map<std::string, std::vector<Mention>> mentions_;  // of each type
};

}  // namespace heed::tag

#endif  // HEED_TASKS_TAG_MENTIONS_H_
