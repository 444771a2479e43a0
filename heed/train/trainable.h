// Interface of models to the trainer.
#ifndef HEED_TRAIN_TRAINABLE_H_
#define HEED_TRAIN_TRAINABLE_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/data/epoch_plan.h"
#include "heed/metrics/metrics.h"
#include "heed/tensor/named_tensor.h"

namespace heed {

/// A validation metric and its direction.
struct MeasureInfo {
  std::string name;
  bool greater_is_better = false;
};

struct LossOptions {
  double scale = 1;      // factor of the loss and its gradient
  double smoothing = 0;  // label smoothing
};

struct BatchLoss {
  Var loss;        // scale · Σ of the minimised loss
  double nll = 0;  // scale · Σ of the loss without label smoothing
  /// scale · Σ of the other parts of the loss, by name, for the log.
  Metrics parts = {};
};

/// Parts of a batch for a network that steps through time. Its products have
/// a row for each example; with fewer than 32 rows they are slow.
inline int64_t PartsOfExamples(int64_t examples) {
  return std::clamp<int64_t>(examples / 32, 1, 16);
}
/// Parts of a batch for a network that computes all tokens at once.
inline int64_t PartsOfTokens(int64_t tokens) {
  return std::clamp<int64_t>(tokens / 512, 1, 16);
}

/// A model with its training examples. Examples are identified by index.
class Trainable {
 public:
  virtual ~Trainable() = default;

  virtual ParameterSet& parameters() = 0;

  /// Unit that Units counts, for the progress line: "tok".
  virtual std::string unit() const { return "tok"; }
  /// Summary line printed before the first step: numbers of examples and
  /// dropped examples, vocabularies.
  virtual std::string Summary() const = 0;
  /// Identifies the set of examples. A resumed run must use the same set.
  virtual std::string Checksum() const = 0;

  /// Examples of each batch of an epoch; depends only on the arguments. The
  /// plan must not outlive this object.
  virtual EpochPlan PlanEpoch(uint64_t seed, int epoch) const = 0;
  /// Divisor of the summed loss of these examples: target tokens or words; by
  /// default the number of examples.
  virtual int64_t Units(std::span<const int64_t> examples) const {
    return std::ssize(examples);
  }
  /// Loss of some examples of a batch. Thread-safe.
  virtual BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                         const LossOptions& options) const = 0;
  /// Number of parts of a batch whose losses add up to that of the batch. An
  /// update computes them concurrently; it depends on the sizes of the examples
  /// alone, so that results do not depend on the number of threads.
  virtual int64_t Parts(std::span<const int64_t> examples) const {
    return PartsOfExamples(std::ssize(examples));
  }

  /// Called after each update with the sums of BatchLoss::parts over its
  /// batches.
  virtual void Updated(const Metrics& /*parts*/) {}
  /// State besides the weights that changes with updates, such as a moving
  /// baseline, by name. Stored in checkpoints.
  virtual std::vector<NamedTensor> State() const { return {}; }
  /// Restores State(): tensors with the same names, shapes and types, in the
  /// same order.
  virtual void Restore(const std::vector<NamedTensor>& /*state*/) {}

  /// Validation metrics; the first is the default.
  virtual std::vector<MeasureInfo> Measures() const = 0;
  /// Name of the metric of Validate that is closest to the training loss; it
  /// breaks ties of other metrics.
  virtual std::string loss_measure() const { return "loss"; }
  virtual bool has_valid() const = 0;
  /// True if the initial weights solve the task, so that they are validated
  /// and kept until others are better. Needs has_valid().
  virtual bool validates_start() const { return false; }
  /// Validates the current weights. Returns `measure` and other metrics that
  /// are computed with it, in display order.
  virtual Metrics Validate(const std::string& measure) const = 0;
};

}  // namespace heed

#endif  // HEED_TRAIN_TRAINABLE_H_
