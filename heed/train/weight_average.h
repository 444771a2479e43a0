// A moving average of a model's weights.
#ifndef HEED_TRAIN_WEIGHT_AVERAGE_H_
#define HEED_TRAIN_WEIGHT_AVERAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/tensor/named_tensor.h"

namespace heed {

/// w̄ ← d w̄ + (1 − d) w after each update t, with d = min(decay, (1 + t) /
/// (10 + t)), so that the first weights are soon forgotten. The average is
/// smoother than the weights and mostly better (Polyak and Juditsky 1992).
class WeightAverage {
 public:
  /// Begins with the weights as they are; of those that are not frozen. Range:
  /// 0 < decay < 1.
  WeightAverage(ParameterSet& parameters, double decay);

  /// Takes in the weights of update `step`, which counts from 1.
  void Update(int64_t step);
  /// The average takes the place of the weights, and they its place; a second
  /// call undoes that.
  void Swap();

  /// What a checkpoint keeps.
  std::vector<NamedTensor> State() const;
  /// Throws: FormatError if a tensor is missing or of another shape or dtype.
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
