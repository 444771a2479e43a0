#include "heed/train/update.h"

#include <algorithm>
#include <cmath>

#include "heed/base/errors.h"
#include "heed/train/schedule.h"

namespace heed {

void AddMetrics(Metrics& sums, const Metrics& terms) {
  for (const auto& [name, value] : terms) {
    const auto known =
        std::ranges::find(sums, name, &Metrics::value_type::first);
    if (known == sums.end()) {
      sums.emplace_back(name, value);
    } else {
      known->second += value;
    }
  }
}

UpdateResult Updater::Update(std::span<const std::vector<int64_t>> group,
                             int64_t step, int64_t last_step) {
  UpdateResult result;
  for (const auto& examples : group) result.units += trained_.Units(examples);
  for (const auto& examples : group) AddGradient(examples, result);
  if (!std::isfinite(result.loss)) {
    optimizer_.GradientNorm();  // which names a parameter, if it can
    throw NumericError("the loss is not finite");
  }
  result.norm = optimizer_.Step(step, LearningRate(config_, step, last_step));
  return result;
}

void Updater::AddGradient(std::span<const int64_t> examples,
                          UpdateResult& result) {
  Context ctx;
  ctx.tape = &tape_;
  ctx.rng = &rng_;
  ctx.training = true;
  LossOptions options;
  options.smoothing = config_.label_smoothing;
  options.scale = 1.0 / static_cast<double>(std::max<int64_t>(1, result.units));
  const BatchLoss loss = trained_.Loss(ctx, examples, options);
  tape_.Backward(loss.loss);
  tape_.Clear();
  result.loss += loss.loss.value().item();
  result.nll += loss.nll;
  AddMetrics(result.parts, loss.parts);
}

}  // namespace heed
