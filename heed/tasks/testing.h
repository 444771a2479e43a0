// Text and settings for test runs of about a second.
#ifndef HEED_TASKS_TESTING_H_
#define HEED_TASKS_TESTING_H_

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/testing.h"
#include "heed/data/corpus.h"
#include "heed/tasks/run.h"

namespace heed {

/// Pairs of two to four letters from a to d and the reversed letters.
inline ParallelText ReversedLetters(int pairs, uint64_t seed) {
  Rng rng(seed);
  ParallelText text;
  for (int i = 0; i < pairs; ++i) {
    std::string letters;
    for (uint64_t n = 2 + rng.Below(3); n > 0; --n) {
      letters += static_cast<char>('a' + rng.Below(4));
      if (n > 1) letters += ' ';
    }
    text.source.push_back(letters);
    std::reverse(letters.begin(), letters.end());
    text.target.push_back(letters);
  }
  return text;
}

inline std::string AsLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// Values of options by their keys.
using OptionTexts = std::map<std::string, std::string>;

/// A small Transformer without dropout for test runs of about a second.
inline const OptionTexts kSmallTransformer = {
    {"width", "16"}, {"ff", "32"}, {"heads", "2"}, {"dropout", "0"}};

/// Sets options. Throws: as Field::SetText; ConfigError for an unknown key.
inline void SetValues(const FieldList& fields, const OptionTexts& values) {
  for (const auto& [key, value] : values) {
    const auto field = std::ranges::find(fields.fields(), key, &Field::key);
    if (field == fields.fields().end()) throw ConfigError("no option " + key);
    field->SetText({value}, key);
  }
}

/// Returns the options with these values. Throws: as SetValues.
inline std::unique_ptr<OptionSet> WithValues(std::unique_ptr<OptionSet> options,
                                             const OptionTexts& values) {
  FieldList fields;
  options->Visit(fields);
  SetValues(fields, values);
  return options;
}

/// Output of `heed predict` with these options for this standard input.
inline std::string PredictLines(const LoadedModel& loaded,
                                const std::string& input,
                                const OptionTexts& values = {},
                                bool json = false) {
  const auto predictor = loaded.MakePredictor(
      *WithValues(loaded.settings->PredictOptions(), values));
  std::istringstream in(input);
  std::ostringstream out;
  PredictStream(*predictor, loaded.input(), loaded.ReadingOf(*predictor), in,
                out, json);
  return out.str();
}

/// Report of `heed evaluate` with these options.
inline Report EvaluateWith(const LoadedModel& loaded,
                           const OptionTexts& values) {
  return loaded.settings->Evaluate(
      *loaded.model, *WithValues(loaded.settings->EvaluateOptions(), values));
}

}  // namespace heed

#endif  // HEED_TASKS_TESTING_H_
