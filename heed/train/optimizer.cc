#include "heed/train/optimizer.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/optimizer.h"
#include "heed/kernels/reduce.h"

namespace heed {
namespace {

bool HasSecond(const OptimizerConfig& config) {
  return config.optimizer != OptimizerKind::kSgd;
}

bool HasThird(const OptimizerConfig& config) {
  return config.optimizer == OptimizerKind::kRmsprop;
}

/// True if quantize_bits rounds the parameter.
bool IsRounded(const Parameter& parameter) {
  return parameter.value().dtype() == DType::kF32 && parameter.quantizable();
}

/// Calls body(slot, i) for all slots, concurrently.
template <typename Slots, typename Body>
void ForEachSlot(Slots& slots, const Body& body) {
  ParallelForEach(std::ssize(slots), 1,
                  [&](int64_t i) { body(At(slots, i), i); });
}

std::vector<Parameter*> AllOf(const ParameterSet& parameters) {
  std::vector<Parameter*> all;
  for (const auto& parameter : parameters.all()) all.push_back(parameter.get());
  return all;
}

}  // namespace

void Freeze(ParameterSet& parameters,
            const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) {
    bool matches = false;
    for (const auto& parameter : parameters.all()) {
      if (fnmatch(pattern.c_str(), parameter->name().c_str(), 0) != 0) continue;
      parameter->Freeze();
      matches = true;
    }
    if (!matches) {
      throw ConfigError(
          "freeze: no parameter is named '{}' (the first is '{}'; heed info "
          "shows those of a model)",
          pattern, parameters.all().front()->name());
    }
  }
  if (std::ranges::all_of(parameters.all(),
                          [](const auto& p) { return p->frozen(); })) {
    throw ConfigError("freeze: no parameter is left to train");
  }
}

Optimizer::Optimizer(ParameterSet& parameters, const OptimizerConfig& config)
    : Optimizer(AllOf(parameters), config) {}

Optimizer::Optimizer(std::span<Parameter* const> parameters,
                     const OptimizerConfig& config)
    : config_(config) {
  config_.Resolve();
  for (Parameter* const parameter : parameters) {
    if (parameter->frozen()) continue;
    const Tensor& value = parameter->value();
    const auto zeros = [&](bool wanted) {
      return wanted ? Tensor::Zeros(value.shape(), value.dtype()) : Tensor();
    };
    slots_.push_back(
        {parameter, zeros(true), zeros(HasSecond(config)),
         zeros(HasThird(config)),
         zeros(config.quantize_bits > 0 && IsRounded(*parameter))});
  }
}

double Optimizer::GradientNorm() const {
  std::vector<double> squares(slots_.size());
  ForEachSlot(slots_, [&](const Slot& slot, int64_t i) {
    const Tensor& gradient = slot.parameter->gradient();
    if (gradient.defined()) At(squares, i) = kernels::SumSquares(gradient);
  });
  double sum = 0;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!std::isfinite(squares[i])) {
      throw NumericError("the gradient of {} is not finite",
                         slots_[i].parameter->name());
    }
    sum += squares[i];
  }
  return std::sqrt(sum);
}

void Optimizer::AddPenalty() {
  ForEachSlot(slots_, [&](Slot& slot, int64_t /*i*/) {
    Parameter& p = *slot.parameter;
    const Tensor& w = p.value();
    if (config_.l2_of == PenalizedWeights::kMatrices && w.rank() < 2) return;
    Tensor& g = p.mutable_gradient();
    if (!g.defined()) g = Tensor::Zeros(w.shape(), w.dtype());
    kernels::AddTo(g, w, config_.l2);
  });
}

double Optimizer::Step(int64_t step, double learning_rate) {
  double norm = GradientNorm();
  if (config_.l2 > 0) {
    AddPenalty();
    norm = GradientNorm();
  }
  double clipped = norm;
  if (config_.clip_value > 0) {
    ForEachSlot(slots_, [&](Slot& slot, int64_t /*i*/) {
      Tensor& gradient = slot.parameter->mutable_gradient();
      if (gradient.defined()) kernels::ClampStep(gradient, config_.clip_value);
    });
    clipped = GradientNorm();
  }
  const double scale =
      config_.clip > 0 && clipped > config_.clip ? config_.clip / clipped : 1;
  ForEachSlot(slots_, [&](Slot& slot, int64_t /*i*/) {
    if (!slot.parameter->gradient().defined()) return;
    StepOf(slot, step, learning_rate, scale);
    slot.parameter->ClearGradient();
  });
  RoundWeights();
  return norm;
}

void Optimizer::StepOf(Slot& slot, int64_t step, double learning_rate,
                       double scale) {
  Parameter& p = *slot.parameter;
  const kernels::Weight w{p.mutable_value(), p.FormsToUpdate()};
  const Tensor& g = p.gradient();
  if (config_.optimizer == OptimizerKind::kSgd) {
    kernels::SgdStep(w, g, slot.first, learning_rate, config_.momentum, scale);
  } else if (config_.optimizer == OptimizerKind::kAdadelta) {
    kernels::AdadeltaStep(w, g, slot.first, slot.second, config_.rho,
                          config_.epsilon, learning_rate, scale);
  } else if (config_.optimizer == OptimizerKind::kRmsprop) {
    kernels::RmspropStep(
        w, g, slot.first, slot.second, slot.third,
        {learning_rate, config_.rho, config_.momentum, config_.epsilon, scale});
  } else {
    kernels::AdamOptions options;
    options.learning_rate = learning_rate;
    options.beta1 = config_.beta1;
    options.beta2 = config_.beta2;
    options.epsilon = config_.epsilon;
    // Gains and biases have no weight decay, as in BERT.
    options.weight_decay =
        config_.optimizer == OptimizerKind::kAdamW && p.value().rank() > 1
            ? config_.weight_decay
            : 0;
    options.bias_correction = config_.bias_correction;
    options.grad_scale = scale;
    options.step = step;
    kernels::AdamStep(w, g, slot.first, slot.second, options);
  }
}

void Optimizer::RoundWeights() {
  ForEachSlot(slots_, [](Slot& slot, int64_t /*i*/) {
    if (!slot.error.defined()) return;
    Parameter& p = *slot.parameter;
    kernels::AddTo(p.mutable_value(), slot.error);
    Tensor rounded = p.RoundedToInt8();
    slot.error = kernels::Sub(p.value(), rounded);
    p.mutable_value() = std::move(rounded);
    p.Changed();
  });
}

std::vector<NamedTensor> Optimizer::State() const {
  std::vector<NamedTensor> state;
  for (const Slot& slot : slots_) {
    const std::string& name = slot.parameter->name();
    state.push_back({"optimizer.first." + name, slot.first});
    if (slot.second.defined()) {
      state.push_back({"optimizer.second." + name, slot.second});
    }
    if (slot.third.defined()) {
      state.push_back({"optimizer.third." + name, slot.third});
    }
    if (slot.error.defined()) {
      state.push_back({"optimizer.error." + name, slot.error});
    }
  }
  return state;
}

void Optimizer::Restore(const std::vector<NamedTensor>& state,
                        const std::string& file) {
  for (Slot& slot : slots_) {
    const auto restore = [&](const char* what, Tensor& own) {
      if (!own.defined()) return;
      const std::string name =
          fmt::format("optimizer.{}.{}", what, slot.parameter->name());
      own.CopyFrom(FindTensor(state, name, own, file));
    };
    restore("first", slot.first);
    restore("second", slot.second);
    restore("third", slot.third);
    restore("error", slot.error);
  }
}

}  // namespace heed
