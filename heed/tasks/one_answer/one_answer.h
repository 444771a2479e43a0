// Tasks with one answer per input, a label or a number, defined by an input
// reader and the names of labels.
#ifndef HEED_TASKS_ONE_ANSWER_ONE_ANSWER_H_
#define HEED_TASKS_ONE_ANSWER_ONE_ANSWER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/labelled_files.h"
#include "heed/explain/explanation.h"
#include "heed/tasks/task.h"

namespace heed {

/// A task whose inputs are sequences of symbols. An encoder of the registry
/// reads them, and its states are pooled to one vector.
struct OneAnswerTask {
  /// Name, description and input kind, as for any task. MakeTask sets
  /// `settings`.
  TaskRow row;
  /// Names of the symbols, by id.
  std::vector<std::string> symbols;
  /// Converts an input to ids, at least one. Throws: FormatError that begins
  /// with `place`.
  std::function<std::vector<int32_t>(std::string_view input,
                                     const std::string& place)>
      read;
  /// Names of the labels, by id; none: the answer is a number.
  std::vector<std::string> labels = {};
  /// The default format of lists of examples. Paths of inputs are relative to
  /// the folder of their list.
  LabelledFormat format = {};
  /// The axis "source" of an explanation, with an item for each id; null: the
  /// names of the symbols.
  std::function<Axis(const std::vector<int32_t>& ids)> axis = nullptr;
};

/// The row of the task, with all of its roles. Throws: ConfigError for a task
/// without symbols or reader, or with a single label.
TaskRow MakeTask(OneAnswerTask task);

}  // namespace heed

#endif  // HEED_TASKS_ONE_ANSWER_ONE_ANSWER_H_
