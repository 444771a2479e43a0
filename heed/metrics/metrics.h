// Measured values by their names.
#ifndef HEED_METRICS_METRICS_H_
#define HEED_METRICS_METRICS_H_

#include <string>
#include <utility>
#include <vector>

namespace heed {

/// Names and values of one step or one evaluation, in order.
using Metrics = std::vector<std::pair<std::string, double>>;

}  // namespace heed

#endif  // HEED_METRICS_METRICS_H_
