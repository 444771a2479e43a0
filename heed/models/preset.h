// What the settings of a family of models leave to the model.
#ifndef HEED_MODELS_PRESET_H_
#define HEED_MODELS_PRESET_H_

#include <string>
#include <utility>
#include <vector>

#include "heed/base/config.h"

namespace heed {

/// The model's choice instead of "auto".
inline void FillText(std::string& value, const char* preset) {
  if (value == "auto") value = preset;
}

/// The model's number instead of 0.
inline void FillNumber(int& value, int preset) {
  if (value == 0) value = preset;
}

/// The model's rate instead of a negative one.
inline void FillRate(double& value, double preset) {
  if (value < 0) value = preset;
}

inline OneOf AutoOr(std::vector<std::string> choices) {
  choices.insert(choices.begin(), "auto");
  return OneOf(std::move(choices));
}

}  // namespace heed

#endif  // HEED_MODELS_PRESET_H_
