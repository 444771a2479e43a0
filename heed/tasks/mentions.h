// Entities of tagged text in the place of each other: more text to learn from.
#ifndef HEED_TASKS_MENTIONS_H_
#define HEED_TASKS_MENTIONS_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "heed/base/rng.h"
#include "heed/data/conll.h"

namespace heed {

/// The entities of a text, by their type. Immutable.
/// Paper: Dai and Adel 2020, arXiv:2010.11683 (mention replacement).
class Mentions {
 public:
  /// The tags must spell entities (see SpellEntities).
  explicit Mentions(std::span<const TaggedSentence> sentences);

  /// The sentence, which has a tag for each word, with each of its entities,
  /// with this probability, replaced by one of the same type, as often as each
  /// occurs. Words and tags go together.
  TaggedSentence Replace(const TaggedSentence& sentence, double probability,
                         Rng& rng) const;

  /// The sentence with words of any names in the place of each name, so that
  /// only what stands around names tells what is meant, and then without tags.
  /// Names are the entities of types that seldom have the same one twice.
  TaggedSentence Scramble(const TaggedSentence& sentence, Rng& rng) const;

  /// Whether the text has names at all.
  bool has_names() const { return !words_of_names_.empty(); }

 private:
  struct Mention {
    std::vector<std::string> words;
    std::vector<std::string> tags;
  };
  struct Type {
    std::vector<Mention> mentions;
    bool names = false;
  };

  /// The sentence with what `other` gives for the type of each entity, if it
  /// gives anything, in that entity's place.
  template <class Other>
  TaggedSentence Rewrite(const TaggedSentence& sentence,
                         const Other& other) const;

  std::map<std::string, Type> types_;
  std::vector<std::string> words_of_names_;
};

}  // namespace heed

#endif  // HEED_TASKS_MENTIONS_H_
