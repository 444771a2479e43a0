// How well tags, and the entities they spell, agree with the right ones.
#ifndef HEED_METRICS_ENTITIES_H_
#define HEED_METRICS_ENTITIES_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "heed/metrics/spans.h"

namespace heed {

/// Units of all figures: 0 to 100; kNoFigure where there is nothing to divide
/// by.
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

/// Compares tags word by word, and the entities that they spell, each text in
/// its own notation. Throws: ShapeError if there are different numbers of
/// sentences or tags. Paper: Tjong Kim Sang and Buchholz 2000 (conlleval).
TaggingScore ScoreTags(std::span<const std::vector<std::string>> gold,
                       std::span<const std::vector<std::string>> predicted,
                       const TagNotation& gold_notation = {},
                       const TagNotation& predicted_notation = {});

}  // namespace heed

#endif  // HEED_METRICS_ENTITIES_H_
