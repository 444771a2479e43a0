// Optimisers, which apply gradients to parameters.
#ifndef HEED_TRAIN_OPTIMIZER_H_
#define HEED_TRAIN_OPTIMIZER_H_

#include <span>
#include <string>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/tensor/named_tensor.h"
#include "heed/train/config.h"

namespace heed {

/// Freezes the parameters whose names match one of the patterns (* any
/// characters, ? one character). Call it before training starts.
/// Throws: ConfigError for a pattern that matches no name, or if no parameter
/// is left to train.
void Freeze(ParameterSet& parameters, const std::vector<std::string>& patterns);

/// Adam, AdamW, Adadelta, RMSProp or SGD with momentum for the parameters of a
/// set that are not frozen. Supports an L2 penalty ½ l2 ‖w‖² and clipping by
/// value and by global norm. Exact equations: see kernels/optimizer.h. With
/// `quantize_bits`, matrices are rounded to int8 after each update.
///
///   tape.Backward(loss);
///   tape.Clear();
///   optimizer.Step(step, LearningRate(config, step, steps));
class Optimizer {
 public:
  Optimizer(ParameterSet& parameters, const OptimizerConfig& config);
  /// Optimises parameters that may be of several sets.
  Optimizer(std::span<Parameter* const> parameters,
            const OptimizerConfig& config);

  /// Global norm of the gradients of all parameters.
  /// Throws: NumericError that names a parameter whose gradient is not finite.
  double GradientNorm() const;

  /// Makes one update with this learning rate; `step` counts from 1. Gradients,
  /// including the L2 penalty, are clipped to ±`config.clip_value`, then scaled
  /// to norm `config.clip` if their norm is larger, and cleared after the
  /// update. Returns the norm before clipping. Throws: as GradientNorm;
  /// parameters and gradients are then unchanged.
  double Step(int64_t step, double learning_rate);

  /// Optimiser state that the next step depends on, besides the parameters.
  std::vector<NamedTensor> State() const;
  /// Restores State(). Throws: FormatError if a tensor is missing or of another
  /// shape or dtype.
  void Restore(const std::vector<NamedTensor>& state, const std::string& file);

 private:
  struct Slot {
    Parameter* parameter;
    Tensor first;   // mean gradient, mean squared gradient or momentum
    Tensor second;  // mean squared gradient or mean squared update
    Tensor third;   // rmsprop: the previous update
    Tensor error;   // quantize_bits: what the last rounding removed
  };

  /// Changes one parameter by its gradient times `scale`.
  void StepOf(Slot& slot, int64_t step, double learning_rate, double scale);
  /// Adds the gradients l2 · w of the penalty.
  void AddPenalty();
  /// Rounds weights to int8: w ← round(w + e), where e is the error of the
  /// previous rounding. Paper: Aji and Heafield 2020 (2020.ngt-1.4).
  void RoundWeights();

  OptimizerConfig config_;
  std::vector<Slot> slots_;
};

}  // namespace heed

#endif  // HEED_TRAIN_OPTIMIZER_H_
