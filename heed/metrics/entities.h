// Tagging accuracy and entity F1.
#ifndef HEED_METRICS_ENTITIES_H_
#define HEED_METRICS_ENTITIES_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "heed/metrics/spans.h"

namespace heed {

/// Entity counts and scores. Scores are 0 to 100, or kNoFigure where the
/// denominator is 0.
struct EntityScore {
  int64_t gold = 0;
  int64_t predicted = 0;
  int64_t correct = 0;  // place and type match

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
  int64_t correct_sentences = 0;  // all tags match

  double WordAccuracy() const;
  double SentenceAccuracy() const;
};

/// Compares tags word by word and the entities that they encode; each side has
/// its own notation. Throws: ShapeError if the numbers of sentences or tags
/// differ. Paper: Tjong Kim Sang and Buchholz 2000 (conlleval).
TaggingScore ScoreTags(std::span<const std::vector<std::string>> gold,
                       std::span<const std::vector<std::string>> predicted,
                       const TagNotation& gold_notation = {},
                       const TagNotation& predicted_notation = {});

}  // namespace heed

#endif  // HEED_METRICS_ENTITIES_H_
