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
        std::filesystem::exists(PathIn(argument, "config.json"))) {
      return MakeTask(TaskOf(argument));
    }
  }
  const std::string name = PeekOption(arguments, "task");
  return MakeTask(name.empty() ? Tasks().front().name : name);
}

}  // namespace heed
