// What trainings have recorded, as curves.
#ifndef HEED_TRAIN_LEARNING_CURVES_H_
#define HEED_TRAIN_LEARNING_CURVES_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "heed/render/line_plot.h"

namespace heed {

/// One measure of a run: a value at each of its points. Values that were not
/// finite are NaN.
struct LearningCurve {
  std::vector<double> updates;
  std::vector<double> epochs;  // NaN where the record has none
  std::vector<double> hours;   // of training; breaks are left out
  std::vector<double> values;
};

/// The record of a run (see MetricsLog).
struct TrainingRecord {
  std::string folder;
  nlohmann::ordered_json settings;  // config.json; empty without one
  std::map<std::string, LearningCurve> curves;
  std::vector<std::string> problems;  // damaged lines, which are left out
};

/// Reads FOLDER/metrics.jsonl. Where its steps go back, because a run was
/// stopped and resumed from an earlier step, the later lines count.
/// Throws: IoError if there is no record; FormatError if its config.json is
/// damaged.
TrainingRecord ReadTrainingRecord(const std::string& folder);

/// A name for each run: its folder and the settings in which it differs from
/// the others, without those that only its model has.
std::vector<std::string> NameRuns(std::span<const TrainingRecord> records);

/// What the curves run over: "updates", "epochs" or "time".
struct LearningCurveOptions {
  std::string x = "updates";
  /// Names as in metrics.jsonl; empty: the losses of training and validation,
  /// the measure that chose the weights, and the learning rate.
  std::vector<std::string> measures;
};

/// A plot for each measure, with the series of record i named names[i], all
/// over the same x axis. Curves of more than 400 points are averaged down to
/// 400. Throws: ConfigError that lists the measures there are, for one that no
/// record has, and if there is nothing to draw.
std::vector<LinePlotPanel> PlotLearningCurves(
    std::span<const TrainingRecord> records, std::span<const std::string> names,
    const LearningCurveOptions& options);

}  // namespace heed

#endif  // HEED_TRAIN_LEARNING_CURVES_H_
