#include "apps/heed/tasks.h"

#include <fmt/format.h>

#include <filesystem>

#include "heed/base/errors.h"

namespace heed {

std::vector<std::string> TaskNames() {
  std::vector<std::string> names;
  for (const TaskInfo& info : Tasks()) names.push_back(info.name);
  return names;
}

std::string TaskOf(const std::string& folder) {
  return ReadModelSettings(folder).value("task", "");
}

std::unique_ptr<Task> PeekTask(const Arguments& arguments,
                               const DescribeForTask& describe) {
  // Those of any task tell values from folders.
  std::vector<Field> options;
  for (const TaskInfo& info : Tasks()) {
    const std::vector<Field> some = describe(*info.make());
    options.insert(options.end(), some.begin(), some.end());
  }
  const std::vector<std::string> folders = PositionalsIn(arguments, options);
  if (!folders.empty() &&
      (!AsksForHelp(arguments) ||
       std::filesystem::exists(ModelPath(folders.front(), kConfigFile)))) {
    return MakeTask(TaskOf(folders.front()));
  }
  const std::string name = PeekOption(arguments, "task");
  return MakeTask(name.empty() ? Tasks().front().name : name);
}

void CheckSameTask(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    if (TaskOf(folder) == TaskOf(folders.front())) continue;
    throw ConfigError(fmt::format(
        "{} is a model for task '{}' but {} for '{}'; evaluate them one by one",
        folders.front(), TaskOf(folders.front()), folder, TaskOf(folder)));
  }
}

void VisitDtype(FieldList& v, std::string& dtype) {
  v("dtype", dtype, OneOf{"auto", "f32", "bf16", "int8"},
    "number format of matrix products; int8 is fastest; auto: as the model was "
    "trained or quantised");
}

}  // namespace heed
