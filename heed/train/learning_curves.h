// Learning curves of recorded training runs.
#ifndef HEED_TRAIN_LEARNING_CURVES_H_
#define HEED_TRAIN_LEARNING_CURVES_H_

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "heed/base/config.h"
#include "heed/render/line_plot.h"

namespace heed {

/// One metric of a run with a value per point. Values that were not finite are
/// NaN.
struct LearningCurve {
  std::vector<double> updates;
  std::vector<double> epochs;  // NaN where not recorded
  std::vector<double> hours;   // training time without breaks
  std::vector<double> values;
};

/// Record of a run (see MetricsLog).
struct TrainingRecord {
  std::string folder;
  nlohmann::ordered_json settings;  // config.json; empty if missing
  std::map<std::string, LearningCurve> curves;
  std::vector<std::string> problems;  // damaged lines, which are skipped
};

/// Reads FOLDER/metrics.jsonl. If steps decrease because a run was resumed from
/// an earlier step, the later lines count.
/// Throws: IoError if there is no record; FormatError if its config.json is
/// damaged.
TrainingRecord ReadTrainingRecord(const std::string& folder);

/// Names of runs: folder and the settings that differ between runs, except
/// settings that only one model has.
std::vector<std::string> NameRuns(std::span<const TrainingRecord> records);

/// Horizontal axis of learning curve plots.
enum class CurveAxis : uint8_t { kUpdates, kEpochs, kTime };
constexpr auto WordsOf(CurveAxis) {
  return std::array{"updates", "epochs", "time"};
}

/// Axis and metrics of learning curve plots.
struct LearningCurveOptions {
  Named<CurveAxis> x = CurveAxis::kUpdates;
  /// Metric names in metrics.jsonl. Empty: training and validation loss, the
  /// model selection metric, and the learning rate.
  std::vector<std::string> measures;
};

/// One plot per metric with the same x axis; the series of record i is called
/// names[i]. Curves of more than 400 points are averaged down to 400. Throws:
/// ConfigError for a metric that no record has (lists the metrics), and if
/// there is nothing to draw.
std::vector<LinePlotPanel> PlotLearningCurves(
    std::span<const TrainingRecord> records, std::span<const std::string> names,
    const LearningCurveOptions& options);

}  // namespace heed

#endif  // HEED_TRAIN_LEARNING_CURVES_H_
