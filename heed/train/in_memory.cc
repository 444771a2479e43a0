#include "heed/train/in_memory.h"

#include <algorithm>
#include <span>

#include "heed/base/errors.h"
#include "heed/train/optimizer.h"
#include "heed/train/update.h"

namespace heed {
namespace {

/// The weights of the best validation so far.
class BestWeights {
 public:
  explicit BestWeights(ParameterSet& parameters) : parameters_(parameters) {}

  void Keep() {
    const auto& all = parameters_.all();
    if (values_.empty()) {
      for (const auto& p : all) values_.push_back(p->value().Clone());
      return;
    }
    for (size_t i = 0; i < all.size(); ++i)
      values_[i].CopyFrom(all[i]->value());
  }
  void PutBack() {
    for (size_t i = 0; i < values_.size(); ++i) {
      Parameter& p = *parameters_.all()[i];
      p.mutable_value().CopyFrom(values_[i]);
      p.Changed();
    }
  }

 private:
  ParameterSet& parameters_;
  std::vector<Tensor> values_;
};

}  // namespace

InMemoryResult TrainInMemory(Trainable& trained, const TrainingConfig& given) {
  TrainingConfig config = given;
  config.Resolve();
  const RunConfig& run = config.run;
  const auto group = static_cast<size_t>(config.optimizer.accumulate);
  if (!config.optimizer.freeze.empty()) {
    Freeze(trained.parameters(), config.optimizer.freeze);
  }
  Optimizer optimizer(trained.parameters(), config.optimizer);
  Rng rng(run.seed);
  Processes alone;
  Updater updater(trained, config.optimizer, optimizer, rng, alone);
  const ValidationJudge judge(
      trained, MeasureOf(trained.Measures(), run.metric), run.patience_metric);
  BestWeights best(trained.parameters());
  InMemoryResult result;
  ValidationState& valid = result.valid;
  const auto limited = [&] {
    return run.steps > 0 && result.steps >= run.steps;
  };
  const auto patient = [&] {
    return run.patience == 0 || valid.stale < run.patience;
  };
  for (int epoch = 0; epoch < run.epochs && !limited() && patient(); ++epoch) {
    const auto plan = trained.PlanEpoch(run.seed, epoch);
    const std::span batches(plan);
    const auto updates =
        static_cast<int64_t>((batches.size() + group - 1) / group);
    const int64_t all = updates * run.epochs;
    const int64_t last = run.steps > 0 ? std::min(all, run.steps) : all;
    for (size_t b = 0; b < batches.size() && !limited() && patient();
         b += group) {
      const UpdateResult update = updater.Update(
          batches.subspan(b, std::min(group, batches.size() - b)),
          ++result.steps, last);
      trained.Updated(update.parts);
      const bool ended = b + group >= batches.size();
      const bool due = run.validate_every > 0
                           ? result.steps % run.validate_every == 0
                           : ended;
      const bool over = limited() || (ended && epoch + 1 == run.epochs);
      if (!trained.has_valid() || !(due || over)) continue;
      const Outcome outcome =
          judge.OutcomeOf(trained.Validate(judge.measure().name));
      if (judge.Record(outcome, result.steps, valid)) best.Keep();
    }
  }
  if (trained.has_valid()) best.PutBack();
  return result;
}

}  // namespace heed
