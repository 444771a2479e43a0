// How a demonstration trains a model that it keeps.
#ifndef HEED_DEMOS_TRAINING_IN_H_
#define HEED_DEMOS_TRAINING_IN_H_

#include <cstdint>
#include <string>
#include <utility>

#include "heed/tasks/task.h"
#include "heed/train/config.h"

namespace heed {

/// What the task prefers, into a folder whose older model goes.
inline TrainingConfig TrainingIn(std::string folder, const TaskSettings& task,
                                 int epochs, uint64_t seed) {
  TrainingConfig training;
  task.SetDefaults(training);
  training.run.out = std::move(folder);
  training.run.overwrite = true;
  training.run.epochs = epochs;
  training.run.seed = seed;
  return training;
}

}  // namespace heed

#endif  // HEED_DEMOS_TRAINING_IN_H_
