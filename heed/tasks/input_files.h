// The files that a task's examples come from.
#ifndef HEED_TASKS_INPUT_FILES_H_
#define HEED_TASKS_INPUT_FILES_H_

#include <string>

#include "heed/base/config.h"
#include "heed/tasks/task.h"
#include "heed/train/out_folder.h"

namespace heed {

/// Whether the value is a path: a text, or several, with the placeholder FILE
/// or DIR.
bool IsPath(const Field& field);

/// Puts the files that a pattern such as 'data/*.en' means, in the order of
/// their names, in its place in a list of files; a file that has the name of a
/// pattern is that file. Throws: ConfigError if there is none.
void ExpandPatterns(TaskSettings& settings);

/// Copies what can be read only once (standard input as "-", pipes, process
/// substitution) into the folder input of `out`, so that the run can be
/// resumed, and lets the task read the copies. A line on standard error names
/// each with its size. Throws: IoError; ConfigError if standard input is named
/// twice.
void KeepStreams(TaskSettings& settings, const OutFolder& out);
/// Throws: ConfigError for what can be read only once, as of several processes
/// one alone would get it.
void RefuseStreams(TaskSettings& settings);

/// So that the run can be resumed from any folder; copies of streams stay
/// relative to the model's.
void MakePathsAbsolute(TaskSettings& settings, const OutFolder& out);

/// Where the copies of streams are that a model in `folder` was trained on.
void FindKeptInput(TaskSettings& settings, const std::string& folder);

}  // namespace heed

#endif  // HEED_TASKS_INPUT_FILES_H_
