// Comparison of validations and early stopping.
#ifndef HEED_TRAIN_VALIDATION_H_
#define HEED_TRAIN_VALIDATION_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "heed/metrics/metrics.h"
#include "heed/train/config.h"
#include "heed/train/processes.h"
#include "heed/train/trainable.h"

namespace heed {

/// Result of a validation: the selection metric and the loss.
struct Outcome {
  double value = 0;
  /// Infinite: unknown.
  double loss = std::numeric_limits<double>::infinity();
};

/// Summary of the validations so far.
struct ValidationState {
  bool has_best = false;
  double best = 0;  // metric of the best validation
  /// Loss of the best validation, which breaks ties; infinite: unknown.
  double best_loss = std::numeric_limits<double>::infinity();
  int64_t best_step = 0;
  int64_t stale = 0;          // validations since patience was last reset
  std::vector<int64_t> kept;  // steps with weights in checkpoints/
  /// Best metric and lowest loss of all validations.
  double top = 0;
  double lowest_loss = std::numeric_limits<double>::infinity();
};

/// Compares validations by one metric. RunConfig::patience_metric selects the
/// rule:
///   metric          a validation is the best if its metric is better, or equal
///                   with a lower loss; only the best resets patience
///   metric_or_loss  patience is reset while the metric or the loss equals or
///                   improves on its best; a validation is the best if both do.
///                   Paper: Veličković et al. 2018, arXiv:1710.10903
///                   (the rule of its code)
class ValidationJudge {
 public:
  /// `measure` is one of the metrics of `trained`, as returned by MeasureOf.
  ValidationJudge(const Trainable& trained, MeasureInfo measure,
                  Named<PatienceMetric> rule)
      : measure_(std::move(measure)),
        loss_measure_(trained.loss_measure()),
        rule_(rule) {}

  const MeasureInfo& measure() const { return measure_; }

  /// Outcome of a validation from its metrics. Throws: NumericError that names
  /// a metric that is not finite.
  Outcome OutcomeOf(const Metrics& metrics) const;
  /// True if `outcome` is the best so far.
  bool IsBest(const ValidationState& state, const Outcome& outcome) const;
  /// True if no validation can be better. Metrics where more is better are
  /// percentages.
  bool IsPerfect(double value) const {
    return measure_.greater_is_better && value >= 100;
  }
  /// True if `outcome` resets patience.
  bool HasHope(const ValidationState& state, const Outcome& outcome) const;
  /// Records the outcome at `step`; true if it is the best so far.
  bool Record(const Outcome& outcome, int64_t step,
              ValidationState& state) const;

 private:
  bool AsGood(double value, double than) const {
    return measure_.greater_is_better ? value >= than : value <= than;
  }

  MeasureInfo measure_;
  std::string loss_measure_;
  PatienceMetric rule_;
};

/// Metrics of the leading process, bit-identical in all processes.
Metrics Shared(const Metrics& metrics, Processes& processes);

/// The metric of this name; "auto" is the first one.
/// Throws: ConfigError that lists the names.
MeasureInfo MeasureOf(const std::vector<MeasureInfo>& measures,
                      const std::string& name);

}  // namespace heed

#endif  // HEED_TRAIN_VALIDATION_H_
