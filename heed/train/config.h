// Configuration of a training run: optimiser, schedule and checkpoints.
#ifndef HEED_TRAIN_CONFIG_H_
#define HEED_TRAIN_CONFIG_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/config.h"

namespace heed {

/// Criterion that resets patience; see ValidationJudge.
enum class PatienceMetric : uint8_t { kMetric, kMetricOrLoss };
constexpr auto WordsOf(PatienceMetric) {
  return std::array{"metric", "metric_or_loss"};
}

/// Number format of gradients sent between processes.
enum class Wire : uint8_t { kF32, kBf16 };
constexpr auto WordsOf(Wire) { return std::array{"f32", "bf16"}; }

/// Update rules.
enum class OptimizerKind : uint8_t { kAdam, kAdamW, kAdadelta, kRmsprop, kSgd };
constexpr auto WordsOf(OptimizerKind) {
  return std::array{"adam", "adamw", "adadelta", "rmsprop", "sgd"};
}

/// Learning rate schedules after the warm-up.
enum class Schedule : uint8_t {
  kConstant,
  kInverseSqrt,
  kStepHalving,
  kLinear,
  kCosine
};
constexpr auto WordsOf(Schedule) {
  return std::array{"constant", "inverse_sqrt", "step_halving", "linear",
                    "cosine"};
}

/// Weights that the L2 penalty applies to.
enum class PenalizedWeights : uint8_t { kAll, kMatrices };
constexpr auto WordsOf(PenalizedWeights) {
  return std::array{"all", "matrices"};
}

/// Optimiser, learning rate schedule and gradient options.
struct OptimizerConfig {
  Named<OptimizerKind> optimizer = OptimizerKind::kAdam;
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 0;
  bool bias_correction = true;
  double rho = 0.95;
  double momentum = 0;
  double weight_decay = 0.01;
  double l2 = 0;
  Named<PenalizedWeights> l2_of = PenalizedWeights::kAll;

  Named<Schedule> schedule = Schedule::kConstant;
  int64_t warmup = 0;
  int64_t halve_after = 0;
  int64_t halve_every = 0;
  int64_t decay_steps = 0;

  double clip = 1;
  double clip_value = 0;
  double label_smoothing = 0.1;
  int quantize_bits = 0;
  int accumulate = 1;
  int shards = 0;
  Named<Wire> wire = Wire::kF32;
  bool same_on_every_cpu = false;
  std::vector<std::string> freeze = {};

  void Visit(FieldList& v);
  /// Replaces 0 by defaults, except for `shards`, which depends on the number
  /// of processes. Throws: ConfigError for inconsistent options.
  void Resolve();
};

/// Length of a run, validation, checkpoints and averaging.
struct RunConfig {
  std::string out;
  bool overwrite = false;
  int epochs = 20;
  int64_t steps = 0;
  int64_t min_steps = 0;
  int64_t validate_every = 0;
  std::string metric = "auto";
  int patience = 5;
  Named<PatienceMetric> patience_metric = PatienceMetric::kMetric;
  int64_t checkpoint_every = 0;
  double checkpoint_minutes = 5;
  int keep = 3;
  double ema = 0;
  int average = 1;
  int threads = 0;
  uint64_t seed = 1;
  bool quiet = false;

  void Visit(FieldList& v);
  /// Total updates of a run with `of_epoch` updates per epoch.
  int64_t Updates(int64_t of_epoch) const;
  /// True if a run ends after `epochs_done` whole epochs and `updates` updates.
  bool IsOver(int64_t epochs_done, int64_t updates) const {
    return (epochs_done >= epochs && updates >= min_steps) ||
           (steps > 0 && updates >= steps);
  }
  /// True if update `number` (from 1), the last of an epoch of `of_epoch`
  /// updates, is followed by a validation when validate_every is 0. Several
  /// short epochs share one validation.
  bool ValidatesAt(int64_t number, int64_t of_epoch) const;
};

/// Settings common to all training tasks.
struct TrainingConfig {
  OptimizerConfig optimizer;
  RunConfig run;

  void Visit(FieldList& v);
  /// Replaces 0 by defaults and checks that the options are consistent. Throws:
  /// ConfigError.
  void Resolve();
};

}  // namespace heed

#endif  // HEED_TRAIN_CONFIG_H_
