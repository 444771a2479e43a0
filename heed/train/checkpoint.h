// What a run needs to go on as if it had never stopped.
#ifndef HEED_TRAIN_CHECKPOINT_H_
#define HEED_TRAIN_CHECKPOINT_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/train/optimizer.h"
#include "heed/train/weight_average.h"

namespace heed {

/// What the validations so far have shown.
struct ValidationState {
  bool has_best = false;
  double best = 0;  // metric of the best validation
  /// Its loss, which decides between equal metrics; infinite: not known.
  double best_loss = std::numeric_limits<double>::infinity();
  int64_t best_step = 0;
  int64_t stale = 0;          // validations since then
  std::vector<int64_t> kept;  // steps whose weights are in checkpoints/
};

/// Where a run stands, between two updates.
struct TrainingState {
  int64_t step = 0;    // updates done
  int64_t epoch = 0;   // from 0
  int64_t batch = 0;   // batches of this epoch done
  int64_t tokens = 0;  // target tokens seen
  uint64_t rng_position = 0;
  ValidationState valid;
  /// Without the last validation, if only the end of the run called for it: a
  /// longer run would not have made it.
  std::optional<ValidationState> scheduled;
  std::string text;  // check sum of the text
};

/// Throws: NumericError, naming a parameter that has a NaN or an infinity.
void CheckFinite(const ParameterSet& parameters);

/// One file, so that it appears as a whole: weights, optimiser, moving average
/// (if there is one) and state.
/// Throws: IoError; NumericError if a weight is not finite.
void WriteCheckpoint(const std::string& path, const ParameterSet& parameters,
                     const Optimizer& optimizer, const WeightAverage* average,
                     const TrainingState& state);

/// Throws: IoError; FormatError.
TrainingState ReadCheckpoint(const std::string& path, ParameterSet& parameters,
                             Optimizer& optimizer, WeightAverage* average);

}  // namespace heed

#endif  // HEED_TRAIN_CHECKPOINT_H_
