#include "apps/heed/tasks.h"

#include <filesystem>

namespace heed {

std::vector<std::string> TaskNames() {
  std::vector<std::string> names;
  for (const TaskInfo& info : Tasks()) names.push_back(info.name);
  return names;
}

std::string TaskOf(const std::string& folder) {
  return ReadModelSettings(folder).value("task", Tasks().front().name);
}

std::unique_ptr<Task> PeekTask(const Arguments& arguments) {
  for (const std::string& argument : arguments) {
    if (!argument.starts_with('-') &&
        std::filesystem::exists(ModelPath(argument, kConfigFile))) {
      return MakeTask(TaskOf(argument));
    }
  }
  const std::string name = PeekOption(arguments, "task");
  return MakeTask(name.empty() ? Tasks().front().name : name);
}

void VisitDtype(FieldList& v, std::string& dtype) {
  v("dtype", dtype, OneOf{"auto", "f32", "bf16", "int8"},
    "number format of matrix products; int8 is fastest; auto: as the model was "
    "trained or quantised");
}

}  // namespace heed
