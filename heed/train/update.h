// One update of the weights.
#ifndef HEED_TRAIN_UPDATE_H_
#define HEED_TRAIN_UPDATE_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heed/autograd/tape.h"
#include "heed/base/rng.h"
#include "heed/kernels/instructions.h"
#include "heed/metrics/metrics.h"
#include "heed/train/config.h"
#include "heed/train/gradient_sum.h"
#include "heed/train/optimizer.h"
#include "heed/train/processes.h"
#include "heed/train/trainable.h"

namespace heed {

/// What one update saw.
struct UpdateResult {
  double loss = 0;  // per unit, with label smoothing
  double nll = 0;   // per unit, without
  double norm = 0;  // of the gradient
  int64_t units = 0;
  Metrics parts;             // per unit, of the loss
  bool interrupted = false;  // a process was asked to end
};

/// An epoch of a run, update by update.
class Epoch {
 public:
  Epoch(const Trainable& trained, const TrainingConfig& config, int number)
      : plan_(trained.PlanEpoch(config.run.seed, number)),
        group_(config.optimizer.accumulate) {
    last_step_ = config.run.Updates(updates());
  }

  int64_t batches() const { return plan_.size(); }
  int64_t updates() const { return (batches() + group_ - 1) / group_; }
  /// Of the run, if all epochs have as many batches.
  int64_t last_step() const { return last_step_; }
  /// The batches of the update that begins with this one, until the next call.
  std::span<const std::vector<int64_t>> Group(int64_t batch) {
    return plan_.Get(batch, std::min(batches(), batch + group_));
  }

 private:
  EpochPlan plan_;
  int64_t group_;
  int64_t last_step_ = 0;
};

/// Adds numbers of the same name.
void AddMetrics(Metrics& sums, const Metrics& terms);

/// Updates the weights from batches of examples, alone or with other processes.
/// Keeps the memory of its tape from one update to the next.
class Updater {
 public:
  /// All outlive it. Throws: as GradientSum; ConfigError if bits cannot be the
  /// same on every processor.
  Updater(Trainable& trained, const OptimizerConfig& config,
          Optimizer& optimizer, Rng& rng, Processes& processes);

  /// One update by the batches of `group`: number `step`, from 1, of
  /// `last_step`. With shards each batch is divided into as many; the same
  /// arguments then give the same weights in any number of processes.
  /// Throws: NumericError when numbers stop being finite; ProcessError. Weights
  /// then are as before.
  UpdateResult Update(std::span<const std::vector<int64_t>> group, int64_t step,
                      int64_t last_step);

 private:
  void AddGradient(std::span<const int64_t> examples, int64_t units, Rng& rng,
                   UpdateResult& result);
  void AddShards(std::span<const std::vector<int64_t>> group,
                 UpdateResult& result);

  Trainable& trained_;
  const OptimizerConfig& config_;
  Optimizer& optimizer_;
  Rng& rng_;
  Processes& processes_;
  std::optional<kernels::SameOnEveryCpu> same_on_every_cpu_;
  Tape tape_;
  std::optional<GradientSum> sum_;  // of shards, if there are several
};

}  // namespace heed

#endif  // HEED_TRAIN_UPDATE_H_
