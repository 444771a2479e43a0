#include <fmt/format.h>

#include "tests/open_house/task.h"

namespace heed::strips {

double AccuracyOf(const StripModel& model, const LabelledStrips& strips) {
  const TextLabels chosen = model.network.Choose(
      model.Probabilities({}, strips.strips), /*threshold=*/0);
  int64_t right = 0;
  for (size_t i = 0; i < chosen.size(); ++i) {
    right += chosen[i].at(0) == strips.colours[i] ? 1 : 0;
  }
  return 100.0 * static_cast<double>(right) /
         static_cast<double>(strips.size());
}

Report StripSettings::Measure(const StripModel& model,
                              const StripEvaluation& options) const {
  const LabelledStrips strips = ReadList(options.strips);
  Report report;
  report.heading = fmt::format("{} strips", strips.size());
  report.figures = {{"accuracy", "accuracy", AccuracyOf(model, strips), 2, "%",
                     "colours that are right"}};
  report.details["strips"] = strips.size();
  return report;
}

}  // namespace heed::strips
