// Strips of coloured cells: a kind of input with a task, a model and a view.
#ifndef HEED_TESTS_OPEN_HOUSE_STRIP_H_
#define HEED_TESTS_OPEN_HOUSE_STRIP_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed/models/registry.h"
#include "heed/render/axis_kind.h"
#include "heed/render/view.h"
#include "heed/tasks/task.h"

namespace heed::strips {

inline constexpr const char* kKind = "strip";

/// Colours of the cells of an axis.
struct StripPayload {
  std::vector<std::string> colours;
};
nlohmann::ordered_json PayloadJson(const StripPayload& payload);

/// Task: which colour has the most cells?
TaskRow StripTask();
AxisKind StripKind();
ExplanationView ColoursView();
ModelRow SeparateModel();

}  // namespace heed::strips

#endif  // HEED_TESTS_OPEN_HOUSE_STRIP_H_
