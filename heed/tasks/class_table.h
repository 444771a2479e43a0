// Precision, recall and F1 of each class of a task.
#ifndef HEED_TASKS_CLASS_TABLE_H_
#define HEED_TASKS_CLASS_TABLE_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "heed/metrics/classification.h"
#include "heed/tasks/task.h"

namespace heed {

/// Scores of a class. Units: per cent. `gold`: number of gold occurrences.
struct ClassFigures {
  std::string name;
  double precision = 0;
  double recall = 0;
  double f1 = 0;
  int64_t gold = 0;
};

/// Adds a table with a line for each class to the text of a report, and the
/// scores to its details: "ITEMs" (or "ITEMes"), objects with the members ITEM,
/// precision, recall, f1 and COUNTED.
void AddClasses(Report& report, const std::string& item,
                const std::string& counted,
                std::span<const ClassFigures> classes);
/// Adds the scores of classes; `name` maps ids to names.
void AddClasses(Report& report, const std::string& item,
                const std::string& counted,
                const std::function<std::string(int32_t id)>& name,
                std::span<const ClassScore> scores);

}  // namespace heed

#endif  // HEED_TASKS_CLASS_TABLE_H_
