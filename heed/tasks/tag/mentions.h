// Data augmentation of tagged text by replacing entities.
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

/// The entities of a text, grouped by type. Immutable.
/// Paper: Dai and Adel 2020, arXiv:2010.11683 (mention replacement).
class Mentions {
 public:
  /// The tags must be in this notation. Bracket notation is not supported.
  Mentions(std::span<const TaggedSentence> sentences,
           const TagNotation& notation);

  /// Returns the sentence with each of its entities replaced with this
  /// probability by a random entity of the same type, according to frequency.
  /// The sentence must have a tag per word.
  TaggedSentence Replace(const TaggedSentence& sentence, double probability,
                         Rng& rng) const;

 private:
  struct Mention {
    std::vector<std::string> words;
    std::vector<std::string> tags;
  };
  TagNotation notation_;
  std::map<std::string, std::vector<Mention>> mentions_;  // by type
};

}  // namespace heed::tag

#endif  // HEED_TASKS_TAG_MENTIONS_H_
