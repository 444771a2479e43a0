// Documents of which it is known what decides: one word of one sentence, or
// that there is none.
#ifndef HEED_COURSE_DATA_PLANTED_DOCUMENTS_H_
#define HEED_COURSE_DATA_PLANTED_DOCUMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/labelled.h"

namespace heed {

struct PlantedOptions {
  int sentences = 12;  ///< of a document, from 3 up to this
  int words = 12;      ///< of a sentence, from 3 up to this
};

/// A document of praise or blame, which one word says, or of neither, without
/// such a word (else a model might find praise alone, and call the rest blame);
/// all other words are drawn alike for every label.
struct PlantedDocument {
  std::vector<std::vector<std::string>> sentences;
  std::string label;         ///< "pos", "neg" or "none"
  int64_t sentence = -1;     ///< the one with the word; −1: there is none
  int64_t word = -1;         ///< its place there
  std::string text() const;  ///< one sentence per line
};

/// Document number `number` of a seed: the same one at any time.
/// Throws: ConfigError unless there is room for three sentences and words.
PlantedDocument MakePlantedDocument(const PlantedOptions& options,
                                    uint64_t seed, int64_t number);

/// Documents [first, first + count) as they are learnt from.
LabelledText PlantedText(const PlantedOptions& options, uint64_t seed,
                         int64_t first, int64_t count);
/// The same as a file of format docs.
std::string PlantedFile(const PlantedOptions& options, uint64_t seed,
                        int64_t first, int64_t count);

}  // namespace heed

#endif  // HEED_COURSE_DATA_PLANTED_DOCUMENTS_H_
