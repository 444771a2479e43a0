// Trains what is trainable, on its examples.
#ifndef HEED_TRAIN_TRAINER_H_
#define HEED_TRAIN_TRAINER_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "heed/train/config.h"
#include "heed/train/trainable.h"

namespace heed {

struct TrainResult {
  int64_t step = 0;
  int64_t best_step = 0;
  std::string metric;
  double best = 0;  // of the metric; 0 without validation examples
  bool validated = false;
  bool averaged = false;  // the model is an average of the last validations
  double seconds = 0;
};

/// The folder of a new run. Made before any long work, to say early what stands
/// in the way; goes again if nothing is written into it.
class OutFolder {
 public:
  /// Throws: ConfigError if there is none, or a model stands there already;
  /// IoError if nothing can be written there.
  explicit OutFolder(const RunConfig& run);
  ~OutFolder();
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;

  /// Removes the weights and checkpoints of an earlier run.
  static void ForgetOldRun(const std::string& folder);

 private:
  std::vector<std::filesystem::path> made_;  // the innermost first
};

/// The measure of this name, "auto" being the first.
/// Throws: ConfigError that lists the names.
MeasureInfo MeasureOf(const Trainable& trained, const std::string& name);

/// Trains as the config says and leaves weights and checkpoints in
/// config.run.out. Progress goes to standard error. Throws: ConfigError,
/// IoError; NumericError, naming step and parameter, when numbers stop being
/// finite (the last good checkpoint stays); Interrupted after Ctrl-C, once a
/// checkpoint is written.
TrainResult RunTraining(Trainable& trained, const TrainingConfig& config);

/// Whether a run has left anything in its folder that it can be continued from.
bool HasBegun(const std::string& folder);

/// Continues the run of config.run.out from its last checkpoint, to the same
/// weights bit for bit as if it had not stopped (with the same number of
/// threads). Throws: as RunTraining; FormatError if the examples have changed.
TrainResult ResumeTraining(Trainable& trained, const TrainingConfig& config);

}  // namespace heed

#endif  // HEED_TRAIN_TRAINER_H_
