// Trains what is trainable, on its examples.
#ifndef HEED_TRAIN_TRAINER_H_
#define HEED_TRAIN_TRAINER_H_

#include <cstdint>
#include <string>

#include "heed/train/config.h"
#include "heed/train/out_folder.h"
#include "heed/train/processes.h"
#include "heed/train/trainable.h"
#include "heed/train/validation.h"

namespace heed {

struct TrainResult {
  int64_t step = 0;
  int64_t best_step = 0;
  std::string metric;
  double best = 0;  // of the metric; 0 without validation examples
  bool validated = false;
  bool averaged = false;  // the model is an average of the last validations
  /// Options with which a resumed run goes on from here, "--epochs 20", if the
  /// last validation was the best one; else "".
  std::string longer;
  double seconds = 0;
};

/// Trains as the config says and leaves weights and checkpoints in `out`.
/// Progress goes to standard error. Of several processes, which all call it
/// with the same examples, weights and config, the leading one writes and
/// validates. Throws: ConfigError, IoError; NumericError, naming step and
/// parameter, when numbers stop being finite (the last good checkpoint stays);
/// Interrupted after Ctrl-C, once a checkpoint is written; ProcessError, once
/// the leading process has written one.
TrainResult RunTraining(Trainable& trained, const TrainingConfig& config,
                        OutFolder& out, Processes& processes);
TrainResult RunTraining(Trainable& trained, const TrainingConfig& config,
                        OutFolder& out);

/// Continues the run of `out` from its last checkpoint, to the same weights bit
/// for bit as if it had not stopped, with any number of threads and of
/// processes up to its shards, and to limits that may be others than it began
/// with. Throws: as RunTraining; FormatError if the examples have changed.
TrainResult ResumeTraining(Trainable& trained, const TrainingConfig& config,
                           OutFolder& out, Processes& processes);
TrainResult ResumeTraining(Trainable& trained, const TrainingConfig& config,
                           OutFolder& out);

}  // namespace heed

#endif  // HEED_TRAIN_TRAINER_H_
