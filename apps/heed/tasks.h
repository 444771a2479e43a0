// Which task a command line is about, known before its options are.
#ifndef HEED_APPS_HEED_TASKS_H_
#define HEED_APPS_HEED_TASKS_H_

#include <memory>
#include <string>
#include <vector>

#include "apps/heed/options.h"
#include "heed/tasks/task.h"

namespace heed {

std::vector<std::string> TaskNames();

/// The task that the model of a folder is for. Throws: as ReadModelSettings.
std::string TaskOf(const std::string& folder);

/// The task of the first model folder among the arguments, else of --task, else
/// translation: so that --help can show its options. Without weights.
std::unique_ptr<Task> PeekTask(const Arguments& arguments);

/// --dtype of the commands that run a model.
void VisitDtype(FieldList& v, std::string& dtype);

}  // namespace heed

#endif  // HEED_APPS_HEED_TASKS_H_
