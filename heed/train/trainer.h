// Trains a model on parallel text.
#ifndef HEED_TRAIN_TRAINER_H_
#define HEED_TRAIN_TRAINER_H_

#include <string>

#include "heed/train/dataset.h"

namespace heed {

struct TrainResult {
  int64_t step = 0;
  int64_t best_step = 0;
  double best = 0;  // of the metric; 0 without validation text
  bool validated = false;
  bool averaged = false;  // the model is an average of the last validations
  double seconds = 0;
};

/// Trains as the config says and leaves the model in config.run.out. Progress
/// goes to standard error. Throws: ConfigError, IoError, FormatError;
/// NumericError, naming step and parameter, when numbers stop being finite (the
/// last good checkpoint stays); Interrupted after Ctrl-C, once a checkpoint is
/// written.
TrainResult Train(TrainConfig config);

/// The same on text that is already in memory; config.data names no files.
TrainResult TrainOn(TrainConfig config, TrainingText text);

/// Continues the run of a folder from its last checkpoint, to the same weights
/// bit for bit as if it had not stopped (with the same number of threads).
/// Throws: as Train; FormatError if the text has changed since.
TrainResult Resume(const std::string& folder, bool quiet);

}  // namespace heed

#endif  // HEED_TRAIN_TRAINER_H_
