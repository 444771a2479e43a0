// Options of translation: search and target language.
#ifndef HEED_TASKS_TRANSLATE_TRANSLATE_OPTIONS_H_
#define HEED_TASKS_TRANSLATE_TRANSLATE_OPTIONS_H_

#include <string>
#include <utility>

#include "heed/base/errors.h"
#include "heed/decode/options.h"
#include "heed/text/target_marks.h"

namespace heed::translate {

struct Prediction : DecodeOptions {
  Prediction() = default;
  explicit Prediction(DecodeRules rules) : DecodeOptions(std::move(rules)) {}

  /// Target language of a multi-target model (see TargetMarks), for text
  /// without a mark; empty: the text has marks.
  std::string to;

  /// Adds the confidence of each translation and of its words.
  bool confidence = false;

  void Visit(FieldList& v) {
    v.Section("Language");
    v("to", to,
      "code of the target language of a multilingual model: adds its prefix "
      "(>>fra<<) to each sentence without one");
    DecodeOptions::Visit(v);
    v.Section("Confidence");
    v("confidence", confidence,
      "add the confidence of each translation, 0 to 1, after a tab, with "
      "--output json also of its words: by the model's quality model if it has "
      "one, else the uncalibrated geometric mean of probabilities");
  }
  /// The mark of `to`; "" if `to` is empty. Throws: as
  /// TargetMarks::NeedMarkFor.
  std::string Mark(const TargetMarks& marks) const {
    return to.empty() ? "" : marks.NeedMarkFor(to);
  }
  /// Throws ConfigError if the confidence is asked for where none is reported.
  void RefuseConfidence() const {
    if (!confidence) return;
    throw ConfigError(
        "--confidence is an option of heed predict only: it adds the "
        "confidence to each translation; leave it out");
  }
};

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_TRANSLATE_OPTIONS_H_
