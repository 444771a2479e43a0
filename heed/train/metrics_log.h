// The record of a training run, for tools and for TensorBoard.
#ifndef HEED_TRAIN_METRICS_LOG_H_
#define HEED_TRAIN_METRICS_LOG_H_

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "heed/train/event_file.h"

namespace heed {

/// Whether a file of this name is one that MetricsLog writes.
bool IsMetricsFile(std::string_view name);

/// Appends to FOLDER/metrics.jsonl, one object a line:
///   {"step": 100, "time": 1700000000.123, "loss": 4.25, …}
/// (time in seconds since 1970; a value that is not finite is null), and the
/// same to FOLDER/events.out.tfevents.TIME.HOST.
class MetricsLog {
 public:
  /// Continues the files of `folder` behind `resume_step`: what they hold of
  /// later steps, or half written, is removed. 0 starts anew.
  /// Throws: IoError.
  explicit MetricsLog(const std::string& folder, int64_t resume_step = 0);

  /// Adds the metrics of a step (at least 1). Steps do not decrease. What was
  /// added outlives the process.
  /// Throws: IoError, naming the file, when it cannot be written.
  void Add(int64_t step, const Metrics& metrics);

 private:
  std::string lines_path_;
  std::string events_path_;
  std::ofstream lines_;
  std::ofstream events_;
};

}  // namespace heed

#endif  // HEED_TRAIN_METRICS_LOG_H_
