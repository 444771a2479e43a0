// Metric values by name.
#ifndef HEED_METRICS_METRICS_H_
#define HEED_METRICS_METRICS_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace heed {

/// Names and values of the metrics of one step or evaluation, in order.
using Metrics = std::vector<std::pair<std::string, double>>;

/// Value of a metric over no examples: printed as "-", null in JSON.
inline constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();

/// sum / count, or kNoFigure if count is 0.
inline double RatioOf(double sum, int64_t count) {
  return count == 0 ? kNoFigure : sum / static_cast<double>(count);
}

/// Appends the metrics that have a value.
inline void AppendFigures(const Metrics& figures, Metrics& to) {
  for (const auto& figure : figures) {
    if (!std::isnan(figure.second)) to.push_back(figure);
  }
}

}  // namespace heed

#endif  // HEED_METRICS_METRICS_H_
