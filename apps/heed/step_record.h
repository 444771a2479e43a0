// Record of a command that works in steps, so that it can go on after a stop.
#ifndef HEED_APPS_HEED_STEP_RECORD_H_
#define HEED_APPS_HEED_STEP_RECORD_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace heed {

/// One step of a command.
struct Step {
  std::string name;
  /// Files or folders that the step writes, relative to the command's folder.
  std::vector<std::string> outputs;
  /// Everything besides the earlier steps that the outputs depend on.
  nlohmann::ordered_json options;
  /// Writes the outputs, or completes those of an earlier, interrupted call.
  /// Returns a line about the result.
  std::function<std::string()> run;
};

/// Runs steps in order and records them in FOLDER/steps.json. Steps that an
/// earlier call finished are reported and not repeated. A step whose outputs
/// were deleted runs again, as do all steps after it. Throws: ConfigError,
/// before any step runs, if outputs were made with other options; FormatError
/// for a damaged record; Interrupted, with a note that the command can go on;
/// otherwise as the steps.
void RunSteps(const std::string& folder, const std::vector<Step>& steps);

}  // namespace heed

#endif  // HEED_APPS_HEED_STEP_RECORD_H_
