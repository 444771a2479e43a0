#include "apps/heed/tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "heed/base/errors.h"

namespace heed {

std::vector<std::string> TaskNames() {
  std::vector<std::string> names;
  for (const TaskRow& task : Tasks()) names.push_back(task.name);
  return names;
}

std::string TaskOf(const std::string& folder) {
  return ReadModelSettings(folder).value("task", "");
}

std::unique_ptr<TaskSettings> PeekTask(const Arguments& arguments,
                                       const DescribeForTask& describe) {
  // Options of all tasks, to distinguish values from folders.
  std::vector<Field> options;
  for (const TaskRow& task : Tasks()) {
    const std::vector<Field> some = describe(*task.settings());
    options.insert(options.end(), some.begin(), some.end());
  }
  const std::vector<std::string> folders = PositionalsIn(arguments, options);
  if (!folders.empty() &&
      (!AsksForHelp(arguments) ||
       std::filesystem::exists(ModelPath(folders.front(), kConfigFile)))) {
    return TaskNamed(TaskOf(folders.front())).settings();
  }
  const std::string name = PeekOption(arguments, "task");
  return (name.empty() ? Tasks().front() : TaskNamed(name)).settings();
}

TrainingConfig TrainingDefaults(const TaskSettings& task) {
  TrainingConfig training;
  task.SetDefaults(training);
  training.run.min_steps = task.MinUpdates();
  return training;
}

void CheckSameTask(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    if (TaskOf(folder) == TaskOf(folders.front())) continue;
    throw ConfigError(
        "{} is a model for task '{}' but {} for '{}'; evaluate them one by one",
        folders.front(), TaskOf(folders.front()), folder, TaskOf(folder));
  }
}

void RunOptions::Visit(FieldList& v) {
  v("dtype", dtype,
    "number format of matrix products; int8 is fastest; auto: the format of "
    "training or quantisation");
  v("activations", activations,
    "scale of activations in int8 products: computed for each row, or fixed by "
    "the alphas of an imported model, as in Firefox");
  v("threads", threads, Range(0, 1024), "threads; 0: one per core");
}

std::string ReportText(const Report& report) {
  std::string text = report.heading + '\n';
  size_t width = 0;
  for (const Figure& f : report.figures) {
    if (!f.on_request) width = std::max(width, f.label.size());
  }
  for (const Figure& f : report.figures) {
    if (f.on_request) continue;
    const std::string value =
        f.shown.empty() ? FigureText(f.value, f.decimals) : f.shown;
    const std::string line = fmt::format("  {:<{}}  {:>8} {:<2} {}", f.label,
                                         width, value, f.unit, f.note);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text + report.text;
}

}  // namespace heed
