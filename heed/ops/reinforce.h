// REINFORCE: learning from rewards of samples without a gradient.
#ifndef HEED_OPS_REINFORCE_H_
#define HEED_OPS_REINFORCE_H_

#include "heed/autograd/context.h"

namespace heed {

struct ReinforceOptions {
  double reward_weight = 1;     // λ_r
  double entropy_weight = 0;    // λ_e
  double baseline_decay = 0.9;  // of MovingBaseline, in [0, 1)
};

/// Moving average b ← decay·b + (1 − decay)·reward, from b = 0. Subtracting it
/// from the reward keeps the expected gradient and lowers its variance. A plain
/// value; copy it to save it. Paper: Xu et al. 2015, arXiv:1502.03044, section
/// 4.1 (decay 0.9).
class MovingBaseline {
 public:
  /// Throws: ConfigError for a decay outside of [0, 1).
  explicit MovingBaseline(double decay, double value = 0);

  double value() const { return value_; }
  /// Updates the average with the mean reward of a batch.
  void Update(double reward) {
    value_ = decay_ * value_ + (1 - decay_) * reward;
  }

 private:
  double decay_;
  double value_;
};

/// −Σ [λ_r (R − b) log p + λ_e H], to be added to the loss that follows from
/// the samples. R and b are constants, so the gradient is a one-sample estimate
/// of that of the expected reward. Shapes: log_probability and entropy [N, T],
/// reward [N] (equal for all T) or [N, T], result []. Throws: ShapeError.
/// Paper: Xu et al. 2015, arXiv:1502.03044, equations 12 and 13.
Var ReinforceLoss(const Var& log_probability, const Var& entropy,
                  const Tensor& reward, double baseline,
                  const ReinforceOptions& options);

}  // namespace heed

#endif  // HEED_OPS_REINFORCE_H_
