// Synthetic documents whose label depends on one known word of one sentence, or
// on its absence.
#ifndef HEED_COURSE_DATA_PLANTED_DOCUMENTS_H_
#define HEED_COURSE_DATA_PLANTED_DOCUMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/labelled.h"

namespace heed {

struct PlantedOptions {
  int sentences = 12;  ///< of a document, drawn from 3 to this maximum
  int words = 12;      ///< of a sentence, drawn from 3 to this maximum
};

/// A document of praise or blame, which one word determines, or a neutral one
/// without such a word. The neutral class prevents a model from detecting
/// praise alone. All other words have the same distribution for every label.
struct PlantedDocument {
  std::vector<std::vector<std::string>> sentences;
  std::string label;         ///< "pos", "neg" or "none"
  int64_t sentence = -1;     ///< index of the deciding sentence; −1: none
  int64_t word = -1;         ///< index of the deciding word in the sentence
  std::string text() const;  ///< one sentence per line
};

/// Makes document number `number` of a seed; deterministic.
/// Throws: ConfigError unless the options allow three sentences and words.
PlantedDocument MakePlantedDocument(const PlantedOptions& options,
                                    uint64_t seed, int64_t number);

/// Makes the documents [first, first + count) as training examples.
LabelledText PlantedText(const PlantedOptions& options, uint64_t seed,
                         int64_t first, int64_t count);
/// Returns the documents [first, first + count) as a file of format docs.
std::string PlantedFile(const PlantedOptions& options, uint64_t seed,
                        int64_t first, int64_t count);

}  // namespace heed

#endif  // HEED_COURSE_DATA_PLANTED_DOCUMENTS_H_
