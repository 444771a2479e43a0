// Training loop: runs and resumes training.
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
  double best = 0;  // value of the metric; 0 without validation examples
  bool validated = false;
  bool averaged = false;  // weights averaged over the last validations
  /// Options that prolong the run, such as "--epochs 20", if the last
  /// validation was the best; otherwise "".
  std::string longer;
  double seconds = 0;
};

/// Trains as configured and writes weights and checkpoints to `out`. Progress
/// goes to standard error. All of several processes must call it with the same
/// examples, weights and config; the leading one writes and validates. Throws:
/// ConfigError, IoError; NumericError that names step and parameter when
/// numbers stop being finite (the last good checkpoint stays); Interrupted
/// after Ctrl-C, once a checkpoint is written; ProcessError, once the leading
/// process has written a checkpoint.
TrainResult RunTraining(Trainable& trained, const TrainingConfig& config,
                        OutFolder& out, Processes& processes);
TrainResult RunTraining(Trainable& trained, const TrainingConfig& config,
                        OutFolder& out);

/// Resumes the run of `out` from its last checkpoint. The weights are
/// bit-identical to those of an uninterrupted run, for any number of threads
/// and for any number of processes up to the number of shards. The limits of
/// the run may be changed. Throws: as RunTraining; FormatError if the examples
/// have changed.
TrainResult ResumeTraining(Trainable& trained, const TrainingConfig& config,
                           OutFolder& out, Processes& processes);
TrainResult ResumeTraining(Trainable& trained, const TrainingConfig& config,
                           OutFolder& out);

}  // namespace heed

#endif  // HEED_TRAIN_TRAINER_H_
