#include "heed/train/in_memory.h"

#include <algorithm>
#include <span>

#include "heed/base/errors.h"
#include "heed/train/optimizer.h"
#include "heed/train/update.h"

namespace heed {
namespace {

/// Weights of the best validation so far.
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
  int number = 0;  // epoch number
  const auto limited = [&] { return run.IsOver(number, result.steps); };
  const auto patient = [&] {
    return run.patience == 0 || valid.stale < run.patience;
  };
  while (!limited() && patient()) {
    Epoch epoch(trained, config, number);
    for (int64_t batch = 0;
         batch < epoch.batches() && !limited() && patient();) {
      const auto group = epoch.Group(batch);
      batch += std::ssize(group);
      const UpdateResult update =
          updater.Update(group, ++result.steps, epoch.last_step());
      trained.Updated(update.parts);
      const bool ended = batch == epoch.batches();
      if (ended) ++number;
      const bool due =
          run.validate_every > 0
              ? result.steps % run.validate_every == 0
              : ended && run.ValidatesAt(result.steps, epoch.updates());
      if (!trained.has_valid() || !(due || limited())) continue;
      const Outcome outcome =
          judge.OutcomeOf(trained.Validate(judge.measure().name));
      if (judge.Record(outcome, result.steps, valid)) best.Keep();
    }
  }
  if (trained.has_valid()) best.PutBack();
  return result;
}

}  // namespace heed
