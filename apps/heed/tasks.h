// Which task a command line is about, known before its options are.
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

/// The task that the model of a folder is for. Throws: as ReadModelSettings.
std::string TaskOf(const std::string& folder);

/// The options of a command for a task.
using DescribeForTask = std::function<std::vector<Field>(TaskSettings& task)>;

/// The task of the model folder that the first argument without an option
/// names, else of --task, else the first one: so that --help can show its
/// options. Without weights. Throws: as TaskOf, unless help is asked for.
std::unique_ptr<TaskSettings> PeekTask(const Arguments& arguments,
                                       const DescribeForTask& describe);

/// Throws: as TaskOf for each folder; ConfigError unless all models are for the
/// same task.
void CheckSameTask(const std::vector<std::string>& folders);

/// --dtype of the commands that run a model.
void VisitDtype(FieldList& v, std::string& dtype);

/// The heading and the figures of a report, a line each, and its text.
std::string ReportText(const Report& report);

}  // namespace heed

#endif  // HEED_APPS_HEED_TASKS_H_
