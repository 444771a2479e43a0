#include "heed/train/validation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {

Outcome ValidationJudge::OutcomeOf(const Metrics& metrics) const {
  for (const auto& [name, value] : metrics) {
    if (!std::isfinite(value)) {
      throw NumericError("the validation's " + name + " is not finite");
    }
  }
  const auto find = [&metrics](const std::string& name) {
    return std::ranges::find(metrics, name, &Metrics::value_type::first);
  };
  const auto chosen = find(measure_.name);
  if (chosen == metrics.end()) {
    throw ConfigError(
        "metric: '{}' cannot be measured: the validation data holds no example "
        "for it; choose another with --metric",
        measure_.name);
  }
  Outcome outcome{.value = chosen->second};
  if (const auto loss = find(loss_measure_); loss != metrics.end()) {
    outcome.loss = loss->second;
  }
  return outcome;
}

bool ValidationJudge::IsBest(const ValidationState& state,
                             const Outcome& outcome) const {
  if (!state.has_best) return true;
  if (rule_ == PatienceMetric::kMetricOrLoss) {
    return AsGood(outcome.value, state.top) &&
           outcome.loss <= state.lowest_loss;
  }
  if (outcome.value == state.best) return outcome.loss < state.best_loss;
  return AsGood(outcome.value, state.best);
}

bool ValidationJudge::HasHope(const ValidationState& state,
                              const Outcome& outcome) const {
  if (rule_ == PatienceMetric::kMetric) return IsBest(state, outcome);
  return !state.has_best || AsGood(outcome.value, state.top) ||
         outcome.loss <= state.lowest_loss;
}

bool ValidationJudge::Record(const Outcome& outcome, int64_t step,
                             ValidationState& state) const {
  const bool best = IsBest(state, outcome);
  state.stale = HasHope(state, outcome) ? 0 : state.stale + 1;
  if (!state.has_best || AsGood(outcome.value, state.top)) {
    state.top = outcome.value;
  }
  state.lowest_loss = std::min(state.lowest_loss, outcome.loss);
  if (!best) return false;
  state.has_best = true;
  state.best = outcome.value;
  state.best_loss = outcome.loss;
  state.best_step = step;
  return true;
}

Metrics Shared(const Metrics& metrics, Processes& processes) {
  std::string text;
  for (const auto& [name, value] : metrics) {
    text += fmt::format("{} {:a}\n", name, value);
  }
  Metrics shared;
  text = processes.Broadcast(text);
  for (const std::string_view line : SplitLines(text)) {
    const auto [name, value] = SplitOnce(line, " ");
    shared.emplace_back(name, std::strtod(std::string(value).c_str(), nullptr));
  }
  return shared;
}

MeasureInfo MeasureOf(const std::vector<MeasureInfo>& measures,
                      const std::string& name) {
  if (name == "auto") return measures.front();
  std::vector<std::string> names;
  for (const MeasureInfo& measure : measures) {
    if (measure.name == name) return measure;
    names.push_back(measure.name);
  }
  throw ConfigError("metric: '{}' is not measured here{} (valid: {})", name,
                    DidYouMean(name, names), fmt::join(names, ", "));
}

}  // namespace heed
