#include "heed/train/weight_average.h"

#include <algorithm>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/kernels/optimizer.h"

namespace heed {
namespace {

std::string NameOf(const Parameter& parameter) {
  return "average." + parameter.name();
}

}  // namespace

WeightAverage::WeightAverage(ParameterSet& parameters, double decay)
    : decay_(decay) {
  for (const auto& parameter : parameters.all()) {
    if (parameter->frozen()) continue;
    slots_.push_back({parameter.get(), parameter->value().Clone()});
  }
}

void WeightAverage::Update(int64_t step) {
  const auto t = static_cast<double>(step);
  const double decay = std::min(decay_, (1 + t) / (10 + t));
  ParallelForEach(std::ssize(slots_), 1, [&](int64_t i) {
    Slot& slot = At(slots_, i);
    kernels::AverageStep(slot.mean, slot.parameter->value(), 1 - decay);
  });
}

void WeightAverage::Swap() {
  for (Slot& slot : slots_) {
    std::swap(slot.mean, slot.parameter->mutable_value());
    slot.parameter->Changed();
  }
}

std::vector<NamedTensor> WeightAverage::State() const {
  std::vector<NamedTensor> state;
  for (const Slot& slot : slots_) {
    state.push_back({NameOf(*slot.parameter), slot.mean});
  }
  return state;
}

void WeightAverage::Restore(const std::vector<NamedTensor>& state,
                            const std::string& file) {
  for (Slot& slot : slots_) {
    slot.mean.CopyFrom(
        FindTensor(state, NameOf(*slot.parameter), slot.mean, file));
  }
}

}  // namespace heed
