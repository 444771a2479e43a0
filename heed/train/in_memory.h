// Training that leaves no files: for many short runs.
#ifndef HEED_TRAIN_IN_MEMORY_H_
#define HEED_TRAIN_IN_MEMORY_H_

#include <cstdint>

#include "heed/train/config.h"
#include "heed/train/trainable.h"
#include "heed/train/validation.h"

namespace heed {

struct InMemoryResult {
  int64_t steps = 0;
  ValidationState valid;
};

/// Trains as `given` says, with a validation after each epoch (or
/// run.validate_every), and leaves the weights of the best one in `trained`:
/// the same bits as RunTraining without average, but no folder, no checkpoint
/// and no progress. run.out, ema, average and keep are not used. Throws:
/// ConfigError; NumericError when numbers stop being finite.
InMemoryResult TrainInMemory(Trainable& trained, const TrainingConfig& given);

}  // namespace heed

#endif  // HEED_TRAIN_IN_MEMORY_H_
