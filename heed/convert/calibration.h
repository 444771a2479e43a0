// Calibration of fixed int8 activations on a text.
#ifndef HEED_CONVERT_CALIBRATION_H_
#define HEED_CONVERT_CALIBRATION_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "heed/tasks/translate/translation_model.h"

namespace heed {

/// Multipliers of the activations of parameters, by name: one for each of the
/// equal parts of their columns.
using Multipliers = std::map<std::string, std::vector<float>>;

/// Multipliers that the parameters have.
Multipliers StoredMultipliers(const ParameterSet& parameters);

/// Translates the lines greedily, in batches of 32, and returns for each matrix
/// 127 / (mean + 1.1 standard deviations) of the largest absolute activations
/// of the calls. `table`: name of the output projection. Throws: FormatError if
/// no line has words.
Multipliers Calibrate(const translate::Model& model,
                      std::span<const std::string> lines,
                      const std::string& table);

}  // namespace heed

#endif  // HEED_CONVERT_CALIBRATION_H_
