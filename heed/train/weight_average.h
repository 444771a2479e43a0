// Exponential moving average of a model's weights.
#ifndef HEED_TRAIN_WEIGHT_AVERAGE_H_
#define HEED_TRAIN_WEIGHT_AVERAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/tensor/named_tensor.h"

namespace heed {

/// w̄ ← d w̄ + (1 − d) w after each update t, with d = min(decay, (1 + t) / (10
/// + t)), so that the initial weights soon lose influence. The average is
/// smoother than the weights and usually better (Polyak and Juditsky 1992).
class WeightAverage {
 public:
  /// Starts from the current weights; frozen weights are skipped. Range: 0 <
  /// decay < 1.
  WeightAverage(ParameterSet& parameters, double decay);

  /// Adds the weights after update `step`, which counts from 1.
  void Update(int64_t step);
  /// Exchanges the average and the weights; a second call restores them.
  void Swap();

  /// State stored in checkpoints.
  std::vector<NamedTensor> State() const;
  /// Restores State(). Throws: FormatError if a tensor is missing or of another
  /// shape or dtype.
  void Restore(const std::vector<NamedTensor>& state, const std::string& file);

 private:
  struct Slot {
    Parameter* parameter;
    Tensor mean;
  };

  double decay_;
  std::vector<Slot> slots_;
};

}  // namespace heed

#endif  // HEED_TRAIN_WEIGHT_AVERAGE_H_
