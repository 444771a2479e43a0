// Metrics log of a training run, also for TensorBoard.
#ifndef HEED_TRAIN_METRICS_LOG_H_
#define HEED_TRAIN_METRICS_LOG_H_

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "heed/train/event_file.h"

namespace heed {

/// True if MetricsLog writes a file of this name.
bool IsMetricsFile(std::string_view name);

/// Appends to FOLDER/metrics.jsonl, one JSON object per line:
///   {"step": 100, "time": 1700000000.123, "loss": 4.25, …}
/// (time in seconds since 1970; null for values that are not finite), and the
/// same metrics to FOLDER/events.out.tfevents.TIME.HOST.
class MetricsLog {
 public:
  /// Continues the files of `folder` after `resume_step`; later steps and
  /// incomplete records are removed. 0 starts new files.
  /// Throws: IoError.
  explicit MetricsLog(const std::string& folder, int64_t resume_step = 0);

  /// Appends the metrics of a step (at least 1). Steps must not decrease.
  /// Appended metrics survive a crash of the process.
  /// Throws: IoError that names the file if it cannot be written.
  void Add(int64_t step, const Metrics& metrics);

 private:
  std::string lines_path_;
  std::string events_path_;
  std::ofstream lines_;
  std::ofstream events_;
};

}  // namespace heed

#endif  // HEED_TRAIN_METRICS_LOG_H_
