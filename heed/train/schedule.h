// Learning rate schedules.
#ifndef HEED_TRAIN_SCHEDULE_H_
#define HEED_TRAIN_SCHEDULE_H_

#include <cstdint>

#include "heed/train/config.h"

namespace heed {

/// Warm-up steps: config.warmup, or a tenth of the run if a run of `last_step`
/// updates is shorter than the warm-up. 0 for last_step: unknown length.
int64_t WarmUp(const OptimizerConfig& config, int64_t last_step);

/// Learning rate of `step` (from 1). With w = WarmUp and p = peak:
///   step < w:      p · step / w
///   constant:      p
///   inverse_sqrt:  p · √(max(w, 1) / step)
///   step_halving:  p · 2^−n, n halvings so far
///   linear:        p · (1 − (step − w) / (end − w))
///   cosine:        p · (1 + cos(π (step − w) / (end − w))) / 2
/// `last_step` is the end of linear and cosine decay if decay_steps is 0.
double LearningRate(const OptimizerConfig& config, int64_t step,
                    int64_t last_step);

}  // namespace heed

#endif  // HEED_TRAIN_SCHEDULE_H_
