// What the configurations of models share: how settings are described and
// checked.
#ifndef HEED_MODELS_SETTINGS_H_
#define HEED_MODELS_SETTINGS_H_

#include <fmt/format.h>

#include <string>

#include "heed/base/errors.h"

namespace heed {

/// choose(); an error then names the setting.
template <typename Choose>
auto OfSetting(const char* key, const Choose& choose) {
  try {
    return choose();
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", key, error.what()));
  }
}

/// Throws: ConfigError with the message unless `holds`.
inline void Require(bool holds, const std::string& message) {
  if (!holds) throw ConfigError(message);
}

}  // namespace heed

#endif  // HEED_MODELS_SETTINGS_H_
