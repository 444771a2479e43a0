// Task of a command line, determined before its options are parsed.
#ifndef HEED_APPS_HEED_TASKS_H_
#define HEED_APPS_HEED_TASKS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/heed/options.h"
#include "heed/tasks/run.h"

namespace heed {

std::vector<std::string> TaskNames();

/// Task of the model in a folder. Throws: as ReadModelSettings.
std::string TaskOf(const std::string& folder);

/// Options of a command for a task.
using DescribeForTask = std::function<std::vector<Field>(TaskSettings& task)>;

/// Settings of the task, without weights, so that --help can show its options.
/// The task is that of the model folder in the first positional argument,
/// otherwise that of --task, otherwise the first one. Throws: as TaskOf, unless
/// the arguments request help.
std::unique_ptr<TaskSettings> PeekTask(const Arguments& arguments,
                                       const DescribeForTask& describe);

/// Defaults of the training options of a task.
TrainingConfig TrainingDefaults(const TaskSettings& task);

/// Throws: ConfigError unless all models have the same task; as TaskOf.
void CheckSameTask(const std::vector<std::string>& folders);

/// Options of commands that run a model.
struct RunOptions {
  Auto<RunFormat> dtype = {};
  Named<Activations> activations = Activations::kRow;
  int threads = 0;

  void Visit(FieldList& v);
};

/// Text of a report: heading, one line per figure, and further text.
std::string ReportText(const Report& report);

}  // namespace heed

#endif  // HEED_APPS_HEED_TASKS_H_
