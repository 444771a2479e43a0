// Settings as rows of data: "layers=4 width=128 norm=pre".
#ifndef HEED_MODELS_PRESET_H_
#define HEED_MODELS_PRESET_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/config.h"

namespace heed {

/// Sets the fields that `preset` names. Throws: ConfigError for a key that is
/// unknown or a value that does not fit.
void SetPreset(const std::vector<Field>& fields, std::string_view preset);

/// The same, but only if there are all of these fields: what suits models of
/// one kind does not touch those of another.
void SetPresetIfKnown(const std::vector<Field>& fields,
                      std::string_view preset);

/// Sets those of them that are still left to the model: "auto", or the number
/// that its range begins with (0; of a rate, any below 0). The first value of a
/// key counts.
void FillPreset(const std::vector<Field>& fields, std::string_view preset);

/// The choices of a text that may be left to the model.
inline OneOf AutoOr(std::vector<std::string> choices) {
  choices.insert(choices.begin(), "auto");
  return OneOf(std::move(choices));
}

}  // namespace heed

#endif  // HEED_MODELS_PRESET_H_
