// What the trainer knows of what it trains.
#ifndef HEED_TRAIN_TRAINABLE_H_
#define HEED_TRAIN_TRAINABLE_H_

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

/// A measure of validation, and which of two values is the better one.
struct MeasureInfo {
  std::string name;
  bool greater_is_better = false;
};

struct LossOptions {
  double scale = 1;      // of the sum, and so of the gradient
  double smoothing = 0;  // of labels
};

struct BatchLoss {
  Var loss;        // scale · Σ of the loss that is minimised
  double nll = 0;  // scale · Σ of the same without label smoothing
  /// scale · Σ of what else the loss is made of, by name, for the log.
  Metrics parts = {};
};

/// A model with the examples it learns from. Examples have numbers.
class Trainable {
 public:
  virtual ~Trainable() = default;

  virtual ParameterSet& parameters() = 0;

  /// What Units counts, for the progress line: "tok".
  virtual std::string unit() const { return "tok"; }
  /// One line that is printed before the first step: how many examples, dropped
  /// ones, vocabularies.
  virtual std::string Summary() const = 0;
  /// Tells one set of examples from another. A resumed run must see the same.
  virtual std::string CheckSum() const = 0;

  /// The examples of each batch of an epoch; depends on the arguments alone.
  /// The plan does not outlive this.
  virtual EpochPlan PlanEpoch(uint64_t seed, int epoch) const = 0;
  /// What the summed loss of these examples is divided by: target tokens,
  /// words; as it is, their number.
  virtual int64_t Units(std::span<const int64_t> examples) const {
    return std::ssize(examples);
  }
  virtual BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                         const LossOptions& options) const = 0;

  /// After each update: the sums of BatchLoss::parts over its batches.
  virtual void Updated(const Metrics& /*parts*/) {}
  /// What changes with the updates besides the weights, such as a moving
  /// baseline, by name: checkpoints keep it.
  virtual std::vector<NamedTensor> State() const { return {}; }
  /// Takes what State() gave in another process: tensors of the same names,
  /// shapes and types, in the same order.
  virtual void Restore(const std::vector<NamedTensor>& /*state*/) {}

  /// What validation can measure; the default comes first.
  virtual std::vector<MeasureInfo> Measures() const = 0;
  /// The one of Validate's figures that is closest to what is minimised; it
  /// decides between equal ones of another measure.
  virtual std::string loss_measure() const { return "loss"; }
  virtual bool has_valid() const = 0;
  /// Measures of the model as it is, `measure` and those that come along, in
  /// the order in which they are shown.
  virtual Metrics Validate(const std::string& measure) const = 0;
};

}  // namespace heed

#endif  // HEED_TRAIN_TRAINABLE_H_
