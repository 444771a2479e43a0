// One update of the weights.
#ifndef HEED_TRAIN_UPDATE_H_
#define HEED_TRAIN_UPDATE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "heed/autograd/tape.h"
#include "heed/base/rng.h"
#include "heed/metrics/metrics.h"
#include "heed/train/config.h"
#include "heed/train/optimizer.h"
#include "heed/train/trainable.h"

namespace heed {

/// What one update saw.
struct UpdateResult {
  double loss = 0;  // per unit, with label smoothing
  double nll = 0;   // per unit, without
  double norm = 0;  // of the gradient
  int64_t units = 0;
  Metrics parts;  // per unit, of the loss
};

/// Adds numbers of the same name.
void AddMetrics(Metrics& sums, const Metrics& terms);

/// Updates the weights from batches of examples. Keeps the memory of its tape
/// from one update to the next.
class Updater {
 public:
  /// All outlive it.
  Updater(const Trainable& trained, const OptimizerConfig& config,
          Optimizer& optimizer, Rng& rng)
      : trained_(trained), config_(config), optimizer_(optimizer), rng_(rng) {}

  /// One update by the batches of `group`: number `step`, from 1, of
  /// `last_step`. Throws: NumericError when numbers stop being finite.
  UpdateResult Update(std::span<const std::vector<int64_t>> group, int64_t step,
                      int64_t last_step);

 private:
  void AddGradient(std::span<const int64_t> examples, UpdateResult& result);

  const Trainable& trained_;
  const OptimizerConfig& config_;
  Optimizer& optimizer_;
  Rng& rng_;
  Tape tape_;
};

}  // namespace heed

#endif  // HEED_TRAIN_UPDATE_H_
