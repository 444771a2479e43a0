// Training without files, for many short runs.
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

/// Trains with a validation after each epoch (or run.validate_every) and leaves
/// the weights of the best validation in `trained`. The weights equal those of
/// RunTraining without averaging, bit for bit, but no folder, checkpoint or
/// progress is written. run.out, ema, average and keep are ignored. Throws:
/// ConfigError; NumericError when numbers stop being finite.
InMemoryResult TrainInMemory(Trainable& trained, const TrainingConfig& given);

}  // namespace heed

#endif  // HEED_TRAIN_IN_MEMORY_H_
