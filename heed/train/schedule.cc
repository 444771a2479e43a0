#include "heed/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heed {

int64_t WarmUp(const OptimizerConfig& c, int64_t last_step) {
  constexpr int64_t kPartOfShortRun = 10;
  if (last_step <= 0 || c.warmup < last_step) return c.warmup;
  return std::max<int64_t>(1, last_step / kPartOfShortRun);
}

double LearningRate(const OptimizerConfig& c, int64_t step, int64_t last_step) {
  const auto s = static_cast<double>(step);
  const auto warmup = static_cast<double>(WarmUp(c, last_step));
  if (s < warmup) return c.learning_rate * s / warmup;
  if (c.schedule == Schedule::kInverseSqrt) {
    return c.learning_rate * std::sqrt(std::max(warmup, 1.0) / s);
  }
  if (c.schedule == Schedule::kStepHalving) {
    if (step <= c.halve_after) return c.learning_rate;
    const int64_t halvings = 1 + (step - c.halve_after - 1) / c.halve_every;
    return std::ldexp(c.learning_rate,
                      -static_cast<int>(std::min<int64_t>(halvings, 1000)));
  }
  if (c.schedule == Schedule::kLinear || c.schedule == Schedule::kCosine) {
    const auto end =
        static_cast<double>(c.decay_steps > 0 ? c.decay_steps : last_step);
    const double done =
        end > warmup ? std::min(1.0, (s - warmup) / (end - warmup)) : 1.0;
    return c.schedule == Schedule::kLinear
               ? c.learning_rate * (1 - done)
               : c.learning_rate * (1 + std::cos(std::numbers::pi * done)) / 2;
  }
  return c.learning_rate;
}

}  // namespace heed
