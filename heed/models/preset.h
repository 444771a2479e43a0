// Presets: settings as text, "layers=4 width=128 norm=pre".
#ifndef HEED_MODELS_PRESET_H_
#define HEED_MODELS_PRESET_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/config.h"

namespace heed {

/// Sets the fields of `preset`. Throws: ConfigError for an unknown key or an
/// invalid value.
void SetPreset(const std::vector<Field>& fields, std::string_view preset);

/// Sets the fields of `preset` if all of them exist, so that a preset for one
/// kind of model leaves other kinds unchanged.
void SetPresetIfKnown(const std::vector<Field>& fields,
                      std::string_view preset);

/// Sets those fields of `preset` that are still open: "auto", the minimum of
/// the range (0), or a negative rate. The first value of a key counts.
void FillPreset(const std::vector<Field>& fields, std::string_view preset);

/// Choices with "auto" as the first one.
inline OneOf AutoOr(std::vector<std::string> choices) {
  choices.insert(choices.begin(), "auto");
  return OneOf(std::move(choices));
}

}  // namespace heed

#endif  // HEED_MODELS_PRESET_H_
