// Weight updates.
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
#include "heed/train/batch_parts.h"
#include "heed/train/config.h"
#include "heed/train/gradient_sum.h"
#include "heed/train/optimizer.h"
#include "heed/train/processes.h"
#include "heed/train/trainable.h"

namespace heed {

/// Loss and gradient norm of one update.
struct UpdateResult {
  double loss = 0;  // per unit, with label smoothing
  double nll = 0;   // per unit, without label smoothing
  double norm = 0;  // gradient norm
  int64_t units = 0;
  Metrics parts;             // per unit, parts of the loss
  bool interrupted = false;  // a process was interrupted
};

/// An epoch of a run, divided into updates.
class Epoch {
 public:
  Epoch(const Trainable& trained, const TrainingConfig& config, int number)
      : plan_(trained.PlanEpoch(config.run.seed, number)),
        group_(config.optimizer.accumulate) {
    last_step_ = config.run.Updates(updates());
  }

  int64_t batches() const { return plan_.size(); }
  int64_t updates() const { return (batches() + group_ - 1) / group_; }
  /// Last step of the run if all epochs have as many batches.
  int64_t last_step() const { return last_step_; }
  /// Batches of the update that begins with this batch; valid until the next
  /// call.
  std::span<const std::vector<int64_t>> Group(int64_t batch) {
    return plan_.Get(batch, std::min(batches(), batch + group_));
  }

 private:
  EpochPlan plan_;
  int64_t group_;
  int64_t last_step_ = 0;
};

/// Adds values of the same name.
void AddMetrics(Metrics& sums, const Metrics& terms);

/// Updates the weights from batches of examples, alone or with other processes.
/// Reuses the memory of its tapes between updates.
class Updater {
 public:
  /// The arguments must outlive the object. Throws: as GradientSum; ConfigError
  /// if bit-identical results on every CPU are not available.
  Updater(Trainable& trained, const OptimizerConfig& config,
          Optimizer& optimizer, Rng& rng, Processes& processes);

  /// Makes update number `step` (from 1) of `last_step` with the batches of
  /// `group`. With shards, each batch is divided into that many; equal
  /// arguments then give equal weights for any number of processes.
  /// Throws: NumericError when numbers stop being finite; ProcessError. The
  /// weights are then unchanged.
  UpdateResult Update(std::span<const std::vector<int64_t>> group, int64_t step,
                      int64_t last_step);

 private:
  void AddGradient(std::span<const int64_t> examples, int64_t units, Rng& rng,
                   const Tape::Ready& ready, UpdateResult& result);
  void AddShards(std::span<const std::vector<int64_t>> group,
                 UpdateResult& result);

  Trainable& trained_;
  const OptimizerConfig& config_;
  Optimizer& optimizer_;
  Rng& rng_;
  Processes& processes_;
  std::optional<kernels::SameOnEveryCpu> same_on_every_cpu_;
  BatchParts parts_;
  std::optional<GradientSum> sum_;  // if there are several shards
};

}  // namespace heed

#endif  // HEED_TRAIN_UPDATE_H_
