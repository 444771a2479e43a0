// Confidence of a translation and of its words.
#ifndef HEED_TASKS_TRANSLATE_CONFIDENCE_H_
#define HEED_TASKS_TRANSLATE_CONFIDENCE_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "heed/decode/translator.h"
#include "heed/io/quality_model.h"
#include "heed/text/markup/placeholders.h"

namespace heed::translate {

/// A word of a translation: its pieces up to the next one that begins with
/// white space.
struct WordConfidence {
  TextRange range;  // in Translation::text
  /// Probability that the word is right, 0 to 1.
  double confidence = 0;
};

struct TranslationConfidence {
  /// Geometric mean of the words; 1 without words.
  double confidence = 1;
  std::vector<WordConfidence> words;
};

/// Confidence of a translation with log-probabilities (see
/// DecodeOptions::keep_scores). `quality`: model of a word's quality; without
/// it, the confidence of a word is the exponential of the mean log-probability
/// of its pieces, which is not calibrated. </s> is not counted.
TranslationConfidence ConfidenceOf(const Translation& translation,
                                   VocabularyKind kind,
                                   const std::optional<QualityModel>& quality);

/// Words as JSON: "text", "start", "end" (characters, end excluded) and
/// "confidence".
nlohmann::ordered_json WordsJson(std::string_view text,
                                 const std::vector<WordConfidence>& words);

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_CONFIDENCE_H_
