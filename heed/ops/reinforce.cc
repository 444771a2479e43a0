#include "heed/ops/reinforce.h"

#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"

namespace heed {

MovingBaseline::MovingBaseline(double decay, double value)
    : decay_(decay), value_(value) {
  if (!(decay >= 0 && decay < 1)) {
    throw ConfigError("baseline_decay: {} is not at least 0 and below 1",
                      decay);
  }
}

Var ReinforceLoss(const Var& log_probability, const Var& entropy,
                  const Tensor& reward, double baseline,
                  const ReinforceOptions& options) {
  CheckSame("reinforce loss", log_probability, entropy);
  CheckShapes(log_probability.shape().rank() == 2 &&
                  (reward.shape() == log_probability.shape() ||
                   reward.shape() == Shape{log_probability.dim(0)}),
              "reinforce loss", "rewards that do not fit log-probabilities",
              {reward.shape(), log_probability.shape()});
  const int64_t steps = log_probability.dim(1);
  const Tensor rewards = reward.To(DType::kF64);
  Tensor factors(log_probability.shape(), DType::kF64);
  for (int64_t i = 0; i < factors.numel(); ++i) {
    const double r = rewards.data<double>()[reward.rank() == 1 ? i / steps : i];
    factors.data<double>()[i] = -options.reward_weight * (r - baseline);
  }
  Var loss =
      Sum(Mul(log_probability, factors.To(log_probability.value().dtype())));
  if (options.entropy_weight == 0) return loss;
  return Add(loss, Scale(Sum(entropy), -options.entropy_weight));
}

}  // namespace heed
