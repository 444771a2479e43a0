// How well tags, and the entities they spell, agree with the right ones.
#ifndef HEED_METRICS_ENTITIES_H_
#define HEED_METRICS_ENTITIES_H_

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// Words [begin, end) of a sentence, which name something.
struct Entity {
  int64_t begin = 0;
  int64_t end = 0;
  std::string type;
  auto operator<=>(const Entity&) const = default;
};

/// Whether every tag is O or one of B, I, E, S, a hyphen and a type.
bool SpellEntities(std::span<const std::vector<std::string>> tags);

/// The entities of a sentence, as conlleval reads BIO and IOBES tags: B-X and
/// S-X begin one, and so do I-X and E-X that continue none of type X; E and S
/// end it, and so does every tag that does not continue it.
std::vector<Entity> ReadEntities(std::span<const std::string> tags);

/// Units of all figures: 0 to 100; 0 where there is nothing to divide by.
struct EntityScore {
  int64_t gold = 0;
  int64_t predicted = 0;
  int64_t correct = 0;  // with the right place and type

  double Precision() const;
  double Recall() const;
  double F1() const;
};

struct TaggingScore {
  EntityScore entities;
  std::map<std::string, EntityScore> types;
  int64_t words = 0;
  int64_t correct_words = 0;
  int64_t sentences = 0;
  int64_t correct_sentences = 0;  // with all tags right

  double WordAccuracy() const;
  double SentenceAccuracy() const;
};

/// Throws: ShapeError if there are different numbers of sentences or tags.
/// Paper: Tjong Kim Sang and Buchholz 2000 (conlleval).
TaggingScore ScoreTags(std::span<const std::vector<std::string>> gold,
                       std::span<const std::vector<std::string>> predicted);

}  // namespace heed

#endif  // HEED_METRICS_ENTITIES_H_
