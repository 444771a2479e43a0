// Applies gradients to parameters.
#ifndef HEED_TRAIN_OPTIMIZER_H_
#define HEED_TRAIN_OPTIMIZER_H_

#include <string>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/tensor/named_tensor.h"
#include "heed/train/config.h"

namespace heed {

/// Freezes the parameters whose names match one of the patterns, in which *
/// stands for any characters and ? for one: what is trained begins after that.
/// Throws: ConfigError for a pattern that matches no name, or if nothing is
/// left to train.
void Freeze(ParameterSet& parameters, const std::vector<std::string>& patterns);

/// Adam, AdamW, Adadelta, RMSProp or SGD with momentum over the parameters of a
/// set that are not frozen, with an L2 penalty ½ l2 ‖w‖² of the loss and
/// clipping of each number and by the global norm. Exact forms: see
/// kernels/optimizer.h.
///
///   tape.Backward(loss);
///   tape.Clear();
///   optimizer.Step(step, LearningRate(config, step, steps));
class Optimizer {
 public:
  Optimizer(ParameterSet& parameters, const OptimizerConfig& config);

  /// Norm of the gradient over all parameters.
  /// Throws: NumericError that names a parameter whose gradient is not finite.
  double GradientNorm() const;

  /// One update with this learning rate; `step` counts from 1. Each number of
  /// the gradients, with those of the L2 penalty, is brought within
  /// ±`config.clip_value`, then they are scaled to the norm `config.clip` if
  /// theirs is greater, and cleared afterwards. Returns their norm before they
  /// are clipped. Throws: as GradientNorm; parameters and gradients then stay
  /// as they are.
  double Step(int64_t step, double learning_rate);

  /// What the next step depends on, besides the parameters themselves.
  std::vector<NamedTensor> State() const;
  /// Throws: FormatError if a tensor is missing or of another shape or dtype.
  void Restore(const std::vector<NamedTensor>& state, const std::string& file);

 private:
  /// Adds the gradients l2 w of the penalty.
  void AddPenalty();

  struct Slot {
    Parameter* parameter;
    Tensor first;   // mean gradient, mean squared gradient or momentum
    Tensor second;  // mean squared gradient or mean squared update
    Tensor third;   // rmsprop: the update before
  };

  OptimizerConfig config_;
  std::vector<Slot> slots_;
};

}  // namespace heed

#endif  // HEED_TRAIN_OPTIMIZER_H_
