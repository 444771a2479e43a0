// The files that a task's examples come from.
#ifndef HEED_TASKS_INPUT_FILES_H_
#define HEED_TASKS_INPUT_FILES_H_

#include <string>

#include "heed/base/config.h"
#include "heed/tasks/task.h"
#include "heed/train/out_folder.h"

namespace heed {

/// True if the field holds a path or a list of paths: its placeholder is FILE
/// or DIR.
bool IsPath(const Field& field);

/// Replaces each pattern such as 'data/*.en' in a list of files by the matching
/// files, sorted by name. A pattern that is the name of an existing file stands
/// for that file. Throws: ConfigError if no file matches.
void ExpandPatterns(const FieldList& list);

/// Copies streams (standard input as "-", pipes, process substitution) into the
/// folder input of `out`, so that the run can be resumed, and makes the task
/// read the copies. A line on standard error names each copy with its size.
/// Throws: IoError; ConfigError if standard input is named twice.
void KeepStreams(TaskSettings& settings, const OutFolder& out);
/// Throws: ConfigError if a path is a stream, since only one of several
/// processes could read it.
void RefuseStreams(TaskSettings& settings);

/// Makes all paths absolute, so that the run can be resumed from any folder.
/// Paths of copied streams stay relative to the model folder.
void MakePathsAbsolute(TaskSettings& settings, const OutFolder& out);

/// Finds the copies of streams that a model in `folder` was trained on.
void FindKeptInput(TaskSettings& settings, const std::string& folder);

}  // namespace heed

#endif  // HEED_TASKS_INPUT_FILES_H_
