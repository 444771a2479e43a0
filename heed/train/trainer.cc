#include "heed/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/base/timing.h"
#include "heed/io/file.h"
#include "heed/kernels/elementwise.h"
#include "heed/train/checkpoint.h"
#include "heed/train/interrupt.h"
#include "heed/train/metrics_log.h"
#include "heed/train/model_folder.h"
#include "heed/train/optimizer.h"
#include "heed/train/progress.h"
#include "heed/train/run_record.h"
#include "heed/train/schedule.h"
#include "heed/train/update.h"
#include "heed/train/validation.h"
#include "heed/train/weight_average.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

/// File in kKeptFolder with the best weights, if the model's weights are an
/// average or come from a validation that a longer run would not have made.
constexpr const char* kBestFile = "best.safetensors";
/// Updates between two lines of the metrics log.
constexpr int64_t kLogEvery = 20;

double FrozenElements(Trainable& trained) {
  double elements = 0;
  for (const auto& parameter : trained.parameters().all()) {
    if (!parameter->frozen()) continue;
    elements += static_cast<double>(parameter->value().numel());
  }
  return elements;
}

/// One run, from its start or a checkpoint to its end.
class Run {
 public:
  Run(Trainable& trained, const TrainingConfig& config, OutFolder& out,
      Processes& processes)
      : trained_(trained),
        config_(config),
        out_(out),
        processes_(processes),
        judge_(trained, MeasureOf(trained.Measures(), config.run.metric),
               config.run.patience_metric),
        optimizer_(Frozen(trained.parameters(), config_.optimizer.freeze),
                   config_.optimizer),
        progress_(
            trained.unit(), config_.run.quiet,
            processes.leads() ? Progress::Screen::StandardError() : Nowhere()) {
    state_.examples = trained_.Checksum();
    record_ = RunRecord::Begin(state_.examples, config_);
    if (!processes.alone()) CheckProcesses();
    if (config_.run.ema > 0) {
      moving_.emplace(trained_.parameters(), config_.run.ema);
    }
    progress_.Log(fmt::format(
        "{}; {} parameters", trained_.Summary(),
        HumanCount(static_cast<double>(trained_.parameters().elements()))));
    if (!config_.optimizer.freeze.empty()) {
      progress_.Log(fmt::format("frozen: {} of them",
                                HumanCount(FrozenElements(trained))));
    }
  }

  /// Restores the last checkpoint; a run that was stopped before its first
  /// checkpoint restarts.
  void Restore() {
    if (!HasBegun(out_.path())) return;
    const std::string path = PathOf(kCheckpointFile);
    const std::string examples = state_.examples;
    state_ = ReadCheckpoint(path, trained_.parameters(), optimizer_, moving());
    if (state_.examples != examples) {
      throw FormatError(path +
                        ": the examples are not what this run began with");
    }
    trained_.Restore(ObjectiveState(state_, trained_.State(), path));
    rng_ = Rng(config_.run.seed, state_.rng_position);
    saved_step_ = state_.step;
    if (fs::exists(PathOf(kRunFile))) {  // missing in older runs
      record_.steps = RunRecord::Read(PathOf(kRunFile)).steps;
      record_.GoBackTo(state_.step);
    }
    if (!LimitReached()) TakeBackLastValidation();
    progress_.Log(Done() ? "nothing left to train: " + WhyDone()
                         : fmt::format("resuming after step {}", state_.step));
  }

  TrainResult Train() {
    const auto start = Clock::now();
    if (processes_.leads()) {
      fs::create_directories(PathOf(kKeptFolder));
      RemoveForgotten();  // leftovers of a killed run
      log_.emplace(out_.path(), state_.step);
    }
    try {
      TrainSteps();
      if (processes_.leads()) Finish();
    } catch (const NumericError& error) {
      throw NotFinite(error.what());
    } catch (const ProcessError& error) {
      throw WithoutProcess(error.what());
    } catch (const std::exception&) {
      // Only the initial weights are saved, which are cheap to recreate.
      if (processes_.leads() && saved_step_ == 0 && !state_.valid.has_best) {
        out_.Discard();
      }
      throw;
    }
    TrainResult result;
    result.step = state_.step;
    result.best_step = state_.valid.best_step;
    result.metric = measure().name;
    result.best = state_.valid.best;
    result.validated = state_.valid.has_best;
    result.averaged = averaged_;
    result.longer = Longer();
    result.seconds = SecondsSince(start);
    return result;
  }

 private:
  static Progress::Screen Nowhere() {
    return {.write = [](std::string_view) {},
            .seconds = [] { return 0.0; },
            .columns = [] { return 80; }};
  }

  /// Reports the processes and checks that all have the same work.
  void CheckProcesses() {
    processes_.CheckSame("examples", state_.examples);
    std::string weights;
    for (const auto& [name, sum] : SumsOf(trained_.parameters())) {
      weights += fmt::format("{} {}\n", name, sum);
    }
    processes_.CheckSame("weights", weights);
    const int here = processes_.on_this_host();
    const int threads = ThreadCount();
    progress_.Log(fmt::format("{} processes × {}, {}", processes_.size(),
                              Counted(threads, "thread"),
                              Counted(config_.optimizer.shards, "shard")));
    const int cores = CoreCount();
    if (here * threads > cores) {
      progress_.Log(fmt::format(
          "warning: {} on {}, which has {}: fewer processes or --threads are "
          "faster",
          Counted(here * threads, "thread"), processes_.NameOf(0),
          Counted(cores, "core")));
    }
  }

  static ParameterSet& Frozen(ParameterSet& parameters,
                              const std::vector<std::string>& patterns) {
    if (!patterns.empty()) Freeze(parameters, patterns);
    return parameters;
  }

  std::string PathOf(const std::string& name) const {
    return out_.PathOf(name);
  }
  std::string KeptFile(const std::string& name) const {
    return PathIn(PathOf(kKeptFolder), name);
  }
  std::string KeptPath(int64_t step) const {
    return KeptFile(fmt::format("step-{}.safetensors", step));
  }

  const MeasureInfo& measure() const { return judge_.measure(); }

  /// Moving average of the weights, or null.
  WeightAverage* moving() { return moving_ ? &*moving_ : nullptr; }

  bool LimitReached() const {
    return config_.run.IsOver(state_.epoch, state_.step);
  }
  bool OutOfPatience() const {
    return config_.run.patience > 0 &&
           state_.valid.stale >= config_.run.patience;
  }
  bool Done() const { return LimitReached() || OutOfPatience(); }

  std::string WhyDone() const {
    std::string why = fmt::format("the run ended at step {}", state_.step);
    if (LimitReached()) {
      return why + fmt::format(", epoch {}; --epochs or --steps prolong it",
                               state_.epoch + (state_.batch > 0 ? 1 : 0));
    }
    return why + fmt::format(
                     " after {} validations without a better one; --patience "
                     "prolongs it",
                     state_.valid.stale);
  }

  /// Options that double the run if its last validation was its best; else "".
  std::string Longer() const {
    const ValidationState& valid = state_.valid;
    if (!valid.has_best || valid.best_step != state_.step) return "";
    if (judge_.IsPerfect(valid.best)) return "";
    const int64_t steps = config_.run.steps;
    if (steps > 0 && state_.step >= steps) {
      return fmt::format("--epochs {} --steps {}", 2 * PlannedEpochs(),
                         2 * state_.step);
    }
    return fmt::format("--epochs {}", 2 * PlannedEpochs());
  }

  /// Epochs of the whole run; the last one may be incomplete.
  int64_t PlannedEpochs() const {
    if (updates_ == 0) return state_.epoch;
    return std::max((state_.steps + updates_ - 1) / updates_, state_.epoch);
  }

  /// Undoes a validation that the new limits would not have triggered.
  void TakeBackLastValidation() {
    if (state_.scheduled) {
      state_.valid = *state_.scheduled;
      state_.scheduled.reset();
    }
    if (!processes_.leads()) return;
    const std::string best = KeptFile(kBestFile);
    if (fs::exists(best)) fs::rename(best, PathOf(kWeightsFile));
  }

  void TrainSteps() {
    const InterruptGuard interrupt;
    last_checkpoint_ = Clock::now();
    while (!Done()) {
      Epoch epoch(trained_, config_, static_cast<int>(state_.epoch));
      batches_ = epoch.batches();
      updates_ = epoch.updates();
      state_.steps = epoch.last_step();
      ReportWarmUp();
      // From the first checkpoint on, the run can be stopped and resumed.
      if (state_.step == 0) {
        if (trained_.validates_start() && !state_.valid.has_best) Validate();
        SaveCheckpoint();
      }
      while (state_.batch < batches_ && !Done()) {
        const auto group = epoch.Group(state_.batch);
        const UpdateResult result = Update(group);
        state_.batch += std::ssize(group);
        Report(result);
        if (state_.batch == batches_) {
          ++state_.epoch;
          state_.batch = 0;
        }
        AfterUpdate(state_.batch == 0);
        // Several processes must stop after the same step, so they agree on it.
        if (processes_.alone() ? interrupt.Requested() : result.interrupted) {
          Stop();
        }
        if (state_.batch == 0) break;
      }
    }
  }

  /// Number of passes over the examples, with a fraction.
  double Epochs() const {
    return static_cast<double>(state_.epoch) +
           static_cast<double>(state_.batch) / static_cast<double>(batches_);
  }

  /// Validates and saves if due.
  void AfterUpdate(bool epoch_ended) {
    const RunConfig& run = config_.run;
    const bool due =
        run.validate_every > 0
            ? state_.step % run.validate_every == 0
            : epoch_ended && run.ValidatesAt(state_.step, updates_);
    if (due || LimitReached()) {
      state_.scheduled.reset();
      if (!due) state_.scheduled = state_.valid;
      Validate();
      SaveCheckpoint();
      return;
    }
    const bool by_step =
        run.checkpoint_every > 0 && state_.step % run.checkpoint_every == 0;
    const bool by_time =
        run.checkpoint_minutes > 0 &&
        SecondsSince(last_checkpoint_) > 60 * run.checkpoint_minutes;
    if (by_step || by_time) SaveCheckpoint();
  }

  [[noreturn]] void Stop() {
    SaveCheckpoint();
    const std::string weights = KeepUnvalidated();
    progress_.Clear();
    throw Interrupted(fmt::format(
        "stopped after step {} of {}{}; continue with: heed train --resume {}",
        state_.step, state_.steps, weights, out_.folder()));
  }

  /// Writes the current weights if there are no validated ones, so that the
  /// model can be tried before its first validation. Returns a note for the
  /// user.
  std::string KeepUnvalidated() {
    if (!out_.replaces() && HasValidatedWeights(out_.folder())) return "";
    if (processes_.leads() && !out_.replaces()) {
      if (moving_) moving_->Swap();
      WriteTensors(PathOf(kWeightsFile), trained_.parameters().Tensors(),
                   UnvalidatedAt(state_));
      if (moving_) moving_->Swap();
    }
    return fmt::format(" before its first validation; {} {}", out_.folder(),
                       out_.replaces() ? "still holds the former model"
                                       : "holds unvalidated weights");
  }

  UpdateResult Update(std::span<const std::vector<int64_t>> group) {
    const int64_t step = at_step_ = state_.step + 1;
    UpdateResult result = updater_.Update(group, step, state_.steps);
    state_.step = step;
    record_.Add(step, result.loss, result.norm);
    if (moving_) moving_->Update(step);
    trained_.Updated(result.parts);
    state_.tokens += result.units;
    state_.rng_position = rng_.position();
    return result;
  }

  NumericError NotFinite(const std::string& what) {
    progress_.Clear();
    return NumericError(
        "step {}: {}; training stopped, {} holds the last good "
        "checkpoint (step {}); "
        "try a smaller learning_rate or clip",
        at_step_, what, out_.folder(), saved_step_);
  }

  /// Handles the loss of another process: saves the updates completed by all.
  ProcessError WithoutProcess(const std::string& what) {
    progress_.Clear();
    if (!processes_.leads()) return ProcessError(what);
    if (state_.step > saved_step_) SaveCheckpoint();
    return ProcessError(
        "{}; {} holds step {}: continue with heed train --resume {}", what,
        out_.folder(), saved_step_, out_.folder());
  }

  /// Reports a shortened warm-up once.
  void ReportWarmUp() {
    const int64_t used = WarmUp(config_.optimizer, state_.steps);
    if (used == config_.optimizer.warmup || warm_up_reported_) return;
    warm_up_reported_ = true;
    progress_.Log(fmt::format(
        "a warm-up of {} steps would outlast the run of {}: it takes {}",
        config_.optimizer.warmup, state_.steps, used));
  }

  void Report(const UpdateResult& result) {
    smooth_ = smooth_ ? 0.95 * *smooth_ + 0.05 * result.nll : result.nll;
    ProgressState shown;
    shown.label = fmt::format("epoch {}/{}", state_.epoch + 1, PlannedEpochs());
    shown.step = state_.step;
    shown.steps = state_.steps;
    shown.units = state_.tokens;
    shown.loss = smooth_;
    progress_.Update(shown);
    const std::string note =
        estimate_.Note(state_.step, state_.steps, SecondsSince(begun_));
    if (!note.empty() && !config_.run.quiet) progress_.Log(note);
    if (!log_ || (state_.step % kLogEvery != 0 && state_.step != 1)) return;
    const double now = SecondsSince(log_time_);
    Metrics metrics = {
        {"epoch", Epochs()},
        {"loss", result.loss},
        {"nll", result.nll},
        {"gradient_norm", result.norm},
        {"learning_rate",
         LearningRate(config_.optimizer, state_.step, state_.steps)}};
    AddMetrics(metrics, result.parts);
    if (log_units_ > 0) {
      metrics.emplace_back(
          "tokens_per_second",
          static_cast<double>(state_.tokens - log_units_) / now);
    }
    log_->Add(state_.step, metrics);
    log_time_ = Clock::now();
    log_units_ = state_.tokens;
  }

  /// Validation metrics, computed by the leading process for all.
  Metrics Evaluate() {
    Metrics metrics;
    if (processes_.leads()) metrics = trained_.Validate(measure().name);
    return processes_.alone() ? metrics : Shared(metrics, processes_);
  }

  /// Validates the moving average if there is one, else the weights.
  void Validate() {
    CheckFinite(trained_.parameters().Tensors());
    if (moving_) moving_->Swap();
    ValidateWeights();
    if (moving_) moving_->Swap();
  }

  void ValidateWeights() {
    if (!trained_.has_valid()) {
      SaveWeights();
      return;
    }
    const Metrics metrics = Evaluate();
    const Outcome outcome = judge_.OutcomeOf(metrics);
    const bool had_best = state_.valid.has_best;
    const bool better = judge_.Record(outcome, state_.step, state_.valid);
    if (better) {
      if (processes_.leads() && state_.scheduled && had_best) KeepBest();
      SaveWeights();
    }
    KeepWeights();
    Metrics logged = {{"epoch", Epochs()}};
    std::string line;
    for (const auto& [name, value] : metrics) {
      logged.emplace_back("valid_" + name, value);
      line += fmt::format("{} {} {:.4g}", line.empty() ? "" : ",", name, value);
    }
    if (log_) log_->Add(state_.step, logged);
    progress_.Log(fmt::format("step {}: validation{}{}", state_.step, line,
                              better ? ", best so far" : ""));
  }

  Metadata Description() const {
    return {{"heed.step", std::to_string(state_.step)},
            {"heed.metric", measure().name},
            {"heed.score", state_.valid.has_best
                               ? fmt::format("{:.4f}", state_.valid.best)
                               : ""}};
  }

  void SaveWeights() {
    if (!processes_.leads()) return;
    WriteTensors(PathOf(kWeightsFile), trained_.parameters().Tensors(),
                 Description());
    out_.Publish();
  }

  /// Keeps the weights that a longer run would have at this point.
  void KeepBest() const {
    CopyFileAtomically(PathOf(kWeightsFile), KeptFile(kBestFile));
  }

  /// Saves the weights of this validation for averaging and forgets older ones.
  void KeepWeights() {
    if (processes_.leads()) {
      WriteTensors(KeptPath(state_.step), trained_.parameters().Tensors(),
                   Description());
    }
    std::vector<int64_t>& kept = state_.valid.kept;
    kept.push_back(state_.step);
    while (std::ssize(kept) > config_.run.keep) kept.erase(kept.begin());
  }

  void RemoveForgotten() {
    if (!processes_.leads()) return;
    std::vector<int64_t> kept = state_.valid.kept;
    if (state_.scheduled) {
      kept.insert(kept.end(), state_.scheduled->kept.begin(),
                  state_.scheduled->kept.end());
    }
    for (const auto& entry : fs::directory_iterator(PathOf(kKeptFolder))) {
      const bool needed = std::ranges::any_of(
          kept, [&](int64_t step) { return entry.path() == KeptPath(step); });
      if (!needed && entry.path().filename().string().starts_with("step-")) {
        fs::remove(entry.path());
      }
    }
  }

  void SaveCheckpoint() {
    if (processes_.leads()) {
      state_.objective = trained_.State();
      // Written first, so that every checkpoint has a record. A resumed run
      // removes steps after its checkpoint.
      record_.SetWeights(trained_.parameters(), state_.step);
      record_.Write(out_.path());
      WriteCheckpoint(PathOf(kCheckpointFile), trained_.parameters(),
                      optimizer_, moving(), state_);
      out_.Publish();
    }
    saved_step_ = state_.step;
    last_checkpoint_ = Clock::now();
    // Removed last, because the previous checkpoint refers to them.
    RemoveForgotten();
  }

  /// Averages the last weights if the average is better than the best weights.
  void Finish() {
    const auto count = static_cast<size_t>(config_.run.average);
    const std::vector<int64_t>& kept = state_.valid.kept;
    if (count > 1 && trained_.has_valid() && kept.size() >= 2) {
      const size_t used = std::min(count, kept.size());
      SetAverage(std::span(kept).last(used));
      const Outcome outcome =
          judge_.OutcomeOf(trained_.Validate(measure().name));
      averaged_ = judge_.IsBest(state_.valid, outcome);
      progress_.Log(
          fmt::format("average of the last {} validations: {} {:.3f}{}", used,
                      measure().name, outcome.value,
                      averaged_ ? ", taken" : ", not better"));
      if (averaged_) {
        if (!fs::exists(KeptFile(kBestFile))) KeepBest();
        state_.valid.best = outcome.value;
        SaveWeights();
      }
    }
    progress_.Clear();
  }

  void SetAverage(std::span<const int64_t> steps) {
    std::vector<NamedTensor> sum;
    for (const int64_t step : steps) {
      const SafetensorsFile file = ReadTensors(KeptPath(step));
      for (const auto& parameter : trained_.parameters().all()) {
        const Tensor& value = FindTensor(file.tensors, parameter->name(),
                                         parameter->value(), KeptPath(step));
        const auto known = std::find_if(
            sum.begin(), sum.end(),
            [&](const auto& t) { return t.name == parameter->name(); });
        if (known == sum.end()) {
          sum.push_back({parameter->name(), value.To(DType::kF64)});
        } else {
          kernels::AddTo(known->value, value.To(DType::kF64));
        }
      }
    }
    for (NamedTensor& t : sum) {
      t.value = kernels::Scale(t.value, 1.0 / static_cast<double>(steps.size()))
                    .To(DType::kF32);
    }
    SetParameters(trained_.parameters(), sum, "average");
  }

  Trainable& trained_;
  const TrainingConfig config_;
  OutFolder& out_;
  Processes& processes_;
  const ValidationJudge judge_;
  Optimizer optimizer_;
  std::optional<WeightAverage> moving_;
  Progress progress_;
  TrainingState state_;
  RunRecord record_;
  Rng rng_{config_.run.seed};
  Updater updater_{trained_, config_.optimizer, optimizer_, rng_, processes_};
  int64_t batches_ = 1;  // in this epoch
  int64_t updates_ = 0;  // 0: no epoch has begun
  RunEstimate estimate_;
  Clock::time_point begun_ = Clock::now();
  std::optional<MetricsLog> log_;
  std::optional<double> smooth_;
  Clock::time_point last_checkpoint_ = Clock::now();
  Clock::time_point log_time_ = Clock::now();
  int64_t log_units_ = 0;
  int64_t at_step_ = 0;  // completed or in progress
  int64_t saved_step_ = 0;
  bool averaged_ = false;
  bool warm_up_reported_ = false;
};

}  // namespace

TrainResult RunTraining(Trainable& trained, const TrainingConfig& config,
                        OutFolder& out, Processes& processes) {
  return Run(trained, config, out, processes).Train();
}

TrainResult RunTraining(Trainable& trained, const TrainingConfig& config,
                        OutFolder& out) {
  Processes alone;
  return RunTraining(trained, config, out, alone);
}

TrainResult ResumeTraining(Trainable& trained, const TrainingConfig& config,
                           OutFolder& out, Processes& processes) {
  Run run(trained, config, out, processes);
  run.Restore();
  return run.Train();
}

TrainResult ResumeTraining(Trainable& trained, const TrainingConfig& config,
                           OutFolder& out) {
  Processes alone;
  return ResumeTraining(trained, config, out, alone);
}

}  // namespace heed
