// What is said of forecasts: their errors, beside those of naive ones.
#ifndef HEED_TASKS_FORECAST_REPORT_H_
#define HEED_TASKS_FORECAST_REPORT_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/base/config.h"
#include "heed/data/series.h"
#include "heed/metrics/forecast.h"
#include "heed/tasks/task.h"

namespace heed {

/// Which part of a series is forecast, and what that is compared with.
struct ForecastEvaluationConfig {
  std::vector<std::string> series;
  std::string split;
  std::string part = "test";
  int stride = 1;
  std::vector<std::string> seasons = {"24"};
  int ar_order = 24;
  std::string by_length;

  void Visit(FieldList& v);
};

/// Forecasts that take no training, or next to none, of the same windows.
struct ForecastBaseline {
  std::string name;
  ForecastErrors errors;
  ForecastComparison comparison;  // of the model with it
};

/// The naive forecast, the seasonal naive ones and the autoregression that the
/// config asks for, from all rows before each origin. `errors` are those of the
/// model at `origins`, which stand `stride` rows apart.
/// Throws: ConfigError for a season that is no number, or too long.
std::vector<ForecastBaseline> MeasureBaselines(
    const Tensor& values, RowRange fitted, std::span<const int64_t> origins,
    const WindowShape& window, const ForecastEvaluationConfig& config,
    const ForecastErrors& errors);

/// `baselines` begin with the naive forecast.
Report ForecastReport(const ForecastErrors& errors,
                      const std::vector<ForecastBaseline>& baselines,
                      const std::vector<std::string>& columns);

}  // namespace heed

#endif  // HEED_TASKS_FORECAST_REPORT_H_
