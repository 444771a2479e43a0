// Which validation is the best one, and when there is no hope of a better one.
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

/// Of what a validation has shown: the chosen measure, and the loss.
struct Outcome {
  double value = 0;
  /// Infinite: not known.
  double loss = std::numeric_limits<double>::infinity();
};

/// What the validations so far have shown.
struct ValidationState {
  bool has_best = false;
  double best = 0;  // metric of the best validation
  /// Its loss, which decides between equal metrics; infinite: not known.
  double best_loss = std::numeric_limits<double>::infinity();
  int64_t best_step = 0;
  int64_t stale = 0;          // validations since patience last began anew
  std::vector<int64_t> kept;  // steps whose weights are in checkpoints/
  /// The best metric and the lowest loss of all validations.
  double top = 0;
  double least_loss = std::numeric_limits<double>::infinity();
};

/// Judges validations by one of their measures, as RunConfig::patience_metric
/// says:
///   metric          a better metric, or with an equal one a lower loss, is the
///                   best validation, and lets patience begin anew
///   metric_or_loss  patience begins anew while the metric or the loss is as
///                   good as its best; the best validation is the last at which
///                   both are. Paper: Veličković et al. 2018, arXiv:1710.10903
///                   (the rule of its code)
class ValidationJudge {
 public:
  /// `measure` is one of those of `trained`, as MeasureOf gives it.
  ValidationJudge(const Trainable& trained, MeasureInfo measure,
                  Named<PatienceMetric> rule)
      : measure_(std::move(measure)),
        loss_measure_(trained.loss_measure()),
        rule_(rule) {}

  const MeasureInfo& measure() const { return measure_; }

  /// Of all measures. Throws: NumericError, naming one that is not finite.
  Outcome OutcomeOf(const Metrics& metrics) const;
  /// Whether it is the best so far.
  bool IsBest(const ValidationState& state, const Outcome& outcome) const;
  /// Whether no validation can be better: measures of which more is better are
  /// per cent.
  bool IsPerfect(double value) const {
    return measure_.greater_is_better && value >= 100;
  }
  /// Whether patience begins anew.
  bool HasHope(const ValidationState& state, const Outcome& outcome) const;
  /// Puts the outcome at `step` into the state; whether it is the best so far.
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

/// The metrics of the leading process, to the bit, in all processes.
Metrics Shared(const Metrics& metrics, Processes& processes);

/// The measure of this name, "auto" being the first.
/// Throws: ConfigError that lists the names.
MeasureInfo MeasureOf(const std::vector<MeasureInfo>& measures,
                      const std::string& name);

}  // namespace heed

#endif  // HEED_TRAIN_VALIDATION_H_
