#include "apps/heed/step_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/io/file.h"
#include "heed/train/model_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The record: for each step its options and, once it is done, its result.
class StepRecord {
 public:
  explicit StepRecord(const std::string& folder)
      : folder_(folder), path_(PathIn(folder, "steps.json")) {
    if (!fs::exists(path_)) return;
    steps_ = ParseJson(ReadFile(path_), path_);
    const bool whole =
        steps_.is_object() && std::ranges::all_of(steps_, [](const Json& one) {
          return one.is_object() && one.contains("options") &&
                 one["options"].is_object() &&
                 (!one.contains("result") || one["result"].is_string());
        });
    if (!whole) {
      throw FormatError("{}: is no record of steps; delete the file", path_);
    }
  }

  /// True if there are outputs of the step.
  bool HasBegun(const Step& step) const {
    return steps_.contains(step.name) &&
           std::ranges::any_of(step.outputs, [&](const std::string& name) {
             return fs::exists(PathIn(folder_, name));
           });
  }
  bool IsDone(const Step& step) const {
    return steps_.contains(step.name) && steps_[step.name].contains("result") &&
           std::ranges::all_of(step.outputs, [&](const std::string& name) {
             return fs::exists(PathIn(folder_, name));
           });
  }
  std::string Result(const Step& step) const {
    return steps_[step.name]["result"].get<std::string>();
  }
  void Begin(const Step& step) {
    steps_[step.name] = {{"options", step.options}};
    Write();
  }
  void Finish(const Step& step, const std::string& result) {
    steps_[step.name]["result"] = result;
    Write();
  }
  /// Removes the outputs of a step.
  void Forget(const Step& step) {
    for (const std::string& name : step.outputs) {
      fs::remove_all(PathIn(folder_, name));
    }
    if (steps_.erase(step.name) > 0) Write();
  }

  /// Throws: ConfigError if the outputs were made with other options.
  void CheckOptions(const Step& step, size_t number) const {
    if (!HasBegun(step)) return;
    const Json& before = steps_[step.name]["options"];
    for (const auto& [key, value] : step.options.items()) {
      const Json old = before.value(key, Json());
      if (old == value) continue;
      throw ConfigError(
          "{}: step {} ({}) was made with {} {}, not {}; delete {} to repeat "
          "it and all later steps, or choose another --out",
          folder_, number, step.name, key, old.dump(), value.dump(),
          PathIn(folder_, step.outputs.front()));
    }
  }

 private:
  void Write() const { WriteFileAtomically(path_, steps_.dump(1) + '\n'); }

  std::string folder_;
  std::string path_;
  Json steps_ = Json::object();
};

}  // namespace

void RunSteps(const std::string& folder, const std::vector<Step>& steps) {
  StepRecord record(folder);
  for (size_t i = 0; i < steps.size(); ++i) {
    record.CheckOptions(steps[i], i + 1);
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const std::string label =
        fmt::format("step {} of {}: {}", i + 1, steps.size(), step.name);
    if (record.IsDone(step)) {
      PrintNote("{}: already done ({})\n", label, record.Result(step));
      continue;
    }
    PrintNote("{}\n", label);
    for (size_t later = i + 1; later < steps.size(); ++later) {
      record.Forget(steps[later]);
    }
    record.Begin(step);
    try {
      const std::string result = step.run();
      record.Finish(step, result);
      PrintNote("{}: {}\n", label, result);
    } catch (const Interrupted&) {
      throw Interrupted(
          fmt::format("stopped in {}; run the command again to go on", label));
    }
  }
}

}  // namespace heed
