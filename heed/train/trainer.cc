#include "heed/train/trainer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>

#include "heed/base/errors.h"
#include "heed/base/timing.h"
#include "heed/data/batches.h"
#include "heed/decode/translator.h"
#include "heed/kernels/elementwise.h"
#include "heed/metrics/bleu.h"
#include "heed/train/checkpoint.h"
#include "heed/train/interrupt.h"
#include "heed/train/metrics_log.h"
#include "heed/train/optimizer.h"
#include "heed/train/progress.h"
#include "heed/train/schedule.h"
#include "heed/train/validate.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCheckpointFile = "training.safetensors";
constexpr const char* kWeightsFile = "model.safetensors";
constexpr const char* kKeptFolder = "checkpoints";
/// Updates between two lines of the metrics log.
constexpr int64_t kLogEvery = 20;

/// What one update saw.
struct StepResult {
  double loss = 0;  // per token, with label smoothing
  double nll = 0;   // per token, without
  double norm = 0;
  int64_t tokens = 0;
};

/// One run, from its start or from a checkpoint to its end.
class Run {
 public:
  Run(TrainConfig config, TrainingText text, Vocabularies vocabularies)
      : config_(std::move(config)),
        text_(std::move(text)),
        vocabularies_(std::move(vocabularies)),
        model_(MakeModel(config_, vocabularies_)),
        optimizer_(model_->parameters(), config_.optimizer),
        progress_("tok", config_.run.quiet) {
    state_.text = text_.CheckSum();
    Encode();
  }

  /// Goes to where the last checkpoint stood; a run that was stopped before its
  /// first one starts again.
  void Restore() {
    const std::string path = PathOf(kCheckpointFile);
    if (!fs::exists(path) && !fs::exists(PathOf(kWeightsFile))) return;
    const std::string text = state_.text;
    state_ = ReadCheckpoint(path, model_->parameters(), optimizer_);
    if (state_.text != text) {
      throw FormatError(path + ": the text is not what this run began with");
    }
    rng_ = Rng(config_.run.seed, state_.rng_position);
    saved_step_ = state_.step;
    progress_.Log(
        Done() ? fmt::format("nothing left to train: the run ended at step {}",
                             state_.step)
               : fmt::format("resuming after step {}", state_.step));
  }

  TrainResult Train() {
    const auto start = Clock::now();
    fs::create_directories(PathOf(kKeptFolder));
    RemoveForgotten();  // what a run that was killed had no time for
    log_.emplace(config_.run.out, state_.step);
    try {
      if (state_.step == 0) SaveCheckpoint();
      last_checkpoint_ = Clock::now();
      RunEpochs();
      Finish();
    } catch (const NumericError& error) {
      throw NotFinite(error.what());
    }
    TrainResult result;
    result.step = state_.step;
    result.best_step = state_.best_step;
    result.best = state_.best;
    result.validated = state_.has_best;
    result.averaged = averaged_;
    result.seconds = SecondsSince(start);
    return result;
  }

 private:
  std::string PathOf(const std::string& name) const {
    return (fs::path(config_.run.out) / name).string();
  }
  std::string KeptPath(int64_t step) const {
    return PathOf(fmt::format("{}/step-{}.safetensors", kKeptFolder, step));
  }

  void Encode() {
    if (config_.model.precision == "bf16" && !kernels::HasBF16()) {
      progress_.Log("this processor does not multiply bf16: products are f32");
    }
    CorpusOptions options;
    options.max_length = config_.data.max_length;
    train_ = EncodeCorpus(text_.train, vocabularies_.source,
                          vocabularies_.target, options);
    if (train_.size() == 0) {
      throw ConfigError(fmt::format(
          "no training pair is left: {} are longer than max_length {}, {} have "
          "an empty side",
          train_.dropped_long, options.max_length, train_.dropped_empty));
    }
    valid_ = EncodeCorpus(text_.valid, vocabularies_.source,
                          vocabularies_.target, {});
    batches_.tokens = config_.data.batch_tokens;
    batches_.sentences = config_.data.batch_sentences;
    progress_.Log(fmt::format(
        "{} pairs (dropped: {} longer than {} tokens, {} with an empty side), "
        "{} for validation; vocabularies of {} and {} tokens; {} parameters",
        train_.size(), train_.dropped_long, options.max_length,
        train_.dropped_empty, valid_.size(), vocabularies_.source.size(),
        vocabularies_.target.size(),
        HumanCount(static_cast<double>(model_->parameters().elements()))));
  }

  bool Done() const {
    const RunConfig& run = config_.run;
    return state_.epoch >= run.epochs ||
           (run.steps > 0 && state_.step >= run.steps) ||
           (run.patience > 0 && state_.stale >= run.patience);
  }

  void RunEpochs() {
    const InterruptGuard interrupt;
    while (!Done()) {
      const auto plan = PlanBatches(train_, batches_, config_.run.seed,
                                    static_cast<int>(state_.epoch));
      const auto batches = static_cast<int64_t>(plan.size());
      const int64_t group = config_.optimizer.accumulate;
      const int64_t updates = (batches + group - 1) / group;
      last_step_ = updates * config_.run.epochs;
      if (config_.run.steps > 0)
        last_step_ = std::min(last_step_, config_.run.steps);
      while (state_.batch < batches && !Done()) {
        const int64_t end = std::min(batches, state_.batch + group);
        const StepResult result = Update(
            std::span(plan).subspan(static_cast<size_t>(state_.batch),
                                    static_cast<size_t>(end - state_.batch)));
        state_.batch = end;
        Report(result);
        if (state_.batch == batches) {
          ++state_.epoch;
          state_.batch = 0;
        }
        AfterUpdate(state_.batch == 0);
        if (interrupt.Requested()) Stop();
        if (state_.batch == 0) break;
      }
    }
  }

  /// Validates and saves when it is time.
  void AfterUpdate(bool epoch_ended) {
    const RunConfig& run = config_.run;
    const bool due = run.validate_every > 0
                         ? state_.step % run.validate_every == 0
                         : epoch_ended;
    const bool last = run.steps > 0 && state_.step >= run.steps;
    if (due || last || state_.epoch >= run.epochs) {
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
    progress_.Clear();
    throw Interrupted(fmt::format(
        "stopped after step {}; continue with: heed train --resume {}",
        state_.step, config_.run.out));
  }

  StepResult Update(std::span<const std::vector<int64_t>> group) {
    const int64_t step = ++state_.step;
    std::vector<Batch> batches;
    StepResult result;
    for (const auto& indices : group) {
      batches.push_back(MakeBatch(train_, indices));
      result.tokens += batches.back().target_tokens;
    }
    for (const Batch& batch : batches) AddGradient(batch, result);
    result.norm = optimizer_.GradientNorm();
    if (!std::isfinite(result.loss))
      throw NumericError("the loss is not finite");
    optimizer_.Step(step, LearningRate(config_.optimizer, step, last_step_),
                    result.norm);
    state_.tokens += result.tokens;
    state_.rng_position = rng_.position();
    return result;
  }

  void AddGradient(const Batch& batch, StepResult& result) {
    Context ctx;
    ctx.tape = &tape_;
    ctx.rng = &rng_;
    ctx.training = true;
    CrossEntropyOptions options;
    options.smoothing = config_.optimizer.label_smoothing;
    options.scale = 1.0 / static_cast<double>(result.tokens);
    const CrossEntropyLoss loss = BatchLoss(*model_, ctx, batch, options);
    tape_.Backward(loss.loss);
    tape_.Clear();
    result.loss += loss.loss.value().item();
    result.nll += loss.nll * options.scale;
  }

  NumericError NotFinite(const std::string& what) {
    progress_.Clear();
    return NumericError(
        fmt::format("step {}: {}; training stopped, {} holds the last good "
                    "checkpoint (step {}); "
                    "try a smaller learning_rate or clip",
                    state_.step, what, config_.run.out, saved_step_));
  }

  void Report(const StepResult& result) {
    smooth_ = smooth_ ? 0.95 * *smooth_ + 0.05 * result.nll : result.nll;
    ProgressState shown;
    shown.label =
        fmt::format("epoch {}/{}", state_.epoch + 1, config_.run.epochs);
    shown.step = state_.step;
    shown.steps = last_step_;
    shown.units = state_.tokens;
    shown.loss = smooth_;
    progress_.Update(shown);
    if (state_.step % kLogEvery != 0 && state_.step != 1) return;
    const double now = SecondsSince(log_time_);
    Metrics metrics = {
        {"loss", result.loss},
        {"nll", result.nll},
        {"gradient_norm", result.norm},
        {"learning_rate",
         LearningRate(config_.optimizer, state_.step, last_step_)}};
    if (log_tokens_ > 0) {
      metrics.emplace_back(
          "tokens_per_second",
          static_cast<double>(state_.tokens - log_tokens_) / now);
    }
    log_->Add(state_.step, metrics);
    log_time_ = Clock::now();
    log_tokens_ = state_.tokens;
  }

  struct Score {
    double loss;
    double bleu;
  };

  Score Evaluate() {
    Score score = {CorpusLoss(*model_, valid_, batches_).mean(), 0};
    if (!std::isfinite(score.loss)) {
      throw NumericError("the validation loss is not finite");
    }
    if (config_.run.metric == "bleu") {
      DecodeOptions options;
      options.beam = config_.run.valid_beam;
      const Translator translator(*model_, vocabularies_.source,
                                  vocabularies_.target, false, options);
      std::vector<std::string> hypotheses;
      for (const auto& translations :
           translator.Translate(text_.valid.source)) {
        hypotheses.push_back(translations.front().text);
      }
      score.bleu = CorpusBleu(hypotheses, text_.valid.target).score;
    }
    return score;
  }

  double MetricOf(const Score& score) const {
    return config_.run.metric == "bleu" ? score.bleu : score.loss;
  }
  bool IsBetter(double value, double than) const {
    return config_.run.metric == "bleu" ? value > than : value < than;
  }

  void Validate() {
    CheckFinite(model_->parameters());
    if (!text_.has_valid()) {
      SaveWeights();
      return;
    }
    const Score score = Evaluate();
    const double value = MetricOf(score);
    const bool better = !state_.has_best || IsBetter(value, state_.best);
    if (better) {
      state_.has_best = true;
      state_.best = value;
      state_.best_step = state_.step;
      state_.stale = 0;
      SaveWeights();
    } else {
      ++state_.stale;
    }
    KeepWeights();
    Metrics metrics = {{"valid_loss", score.loss},
                       {"valid_perplexity", std::exp(score.loss)}};
    if (config_.run.metric == "bleu")
      metrics.emplace_back("valid_bleu", score.bleu);
    log_->Add(state_.step, metrics);
    progress_.Log(fmt::format(
        "step {}: validation loss {:.3f}{}{}", state_.step, score.loss,
        config_.run.metric == "bleu" ? fmt::format(", BLEU {:.2f}", score.bleu)
                                     : "",
        better ? ", best so far" : ""));
  }

  Metadata Description() const {
    return {{"heed.step", std::to_string(state_.step)},
            {"heed.metric", config_.run.metric},
            {"heed.score",
             state_.has_best ? fmt::format("{:.4f}", state_.best) : ""}};
  }

  void SaveWeights() {
    WriteTensors(PathOf(kWeightsFile), ParameterTensors(model_->parameters()),
                 Description());
  }

  /// The weights of this validation, for the average; older ones go.
  void KeepWeights() {
    WriteTensors(KeptPath(state_.step), ParameterTensors(model_->parameters()),
                 Description());
    state_.kept.push_back(state_.step);
    while (static_cast<int>(state_.kept.size()) > config_.run.keep) {
      state_.kept.erase(state_.kept.begin());
    }
  }

  void RemoveForgotten() {
    for (const auto& entry : fs::directory_iterator(PathOf(kKeptFolder))) {
      const bool kept = std::any_of(
          state_.kept.begin(), state_.kept.end(),
          [&](int64_t step) { return entry.path() == KeptPath(step); });
      if (!kept && entry.path().filename().string().starts_with("step-")) {
        fs::remove(entry.path());
      }
    }
  }

  void SaveCheckpoint() {
    WriteCheckpoint(PathOf(kCheckpointFile), model_->parameters(), optimizer_,
                    state_);
    saved_step_ = state_.step;
    last_checkpoint_ = Clock::now();
    // Only now: until here a resumed run would have needed them.
    RemoveForgotten();
  }

  /// Averages the last weights if that is better than the best ones.
  void Finish() {
    const auto count = static_cast<size_t>(config_.run.average);
    if (count > 1 && text_.has_valid() && state_.kept.size() >= 2) {
      const size_t used = std::min(count, state_.kept.size());
      SetAverage(std::span(state_.kept).last(used));
      const double value = MetricOf(Evaluate());
      averaged_ = IsBetter(value, state_.best);
      progress_.Log(fmt::format(
          "average of the last {} validations: {} {:.3f}{}", used,
          config_.run.metric, value, averaged_ ? ", taken" : ", not better"));
      if (averaged_) {
        state_.best = value;
        SaveWeights();
      }
    }
    progress_.Clear();
  }

  void SetAverage(std::span<const int64_t> steps) {
    std::vector<NamedTensor> sum;
    for (const int64_t step : steps) {
      const SafetensorsFile file = ReadTensors(KeptPath(step));
      for (const auto& parameter : model_->parameters().all()) {
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
    SetParameters(model_->parameters(), sum, "average");
  }

  TrainConfig config_;
  TrainingText text_;
  Vocabularies vocabularies_;
  std::unique_ptr<SequenceModel> model_;
  Optimizer optimizer_;
  Progress progress_;
  Corpus train_;
  Corpus valid_;
  BatchOptions batches_;
  TrainingState state_;
  Rng rng_{config_.run.seed};
  Tape tape_;
  std::optional<MetricsLog> log_;
  std::optional<double> smooth_;
  Clock::time_point last_checkpoint_ = Clock::now();
  Clock::time_point log_time_ = Clock::now();
  int64_t log_tokens_ = 0;
  int64_t saved_step_ = 0;
  int64_t last_step_ = 0;
  bool averaged_ = false;
};

/// The folder of a new run. Made before any long work, to say early what stands
/// in the way; goes again if nothing is written into it.
class OutFolder {
 public:
  explicit OutFolder(const RunConfig& run) {
    if (run.out.empty()) throw ConfigError("--out DIR is needed");
    if (fs::exists(fs::path(run.out) / "config.json") && !run.overwrite) {
      throw ConfigError(
          fmt::format("{} holds a model already; continue it with --resume {}, "
                      "replace it with "
                      "--overwrite, or choose another --out",
                      run.out, run.out));
    }
    for (fs::path path = run.out; !path.empty() && !fs::exists(path);
         path = path.parent_path()) {
      made_.push_back(path);
    }
    std::error_code error;
    fs::create_directories(run.out, error);
    if (!error && !fs::is_directory(run.out)) {
      error = std::make_error_code(std::errc::not_a_directory);
    }
    if (!error && access(run.out.c_str(), W_OK | X_OK) != 0) {
      error = {errno, std::generic_category()};
    }
    if (error) {
      throw IoError(fmt::format("cannot write to the folder {}: {}", run.out,
                                error.message()));
    }
  }
  ~OutFolder() {
    std::error_code in_use;
    for (const fs::path& path : made_) fs::remove(path, in_use);
  }
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;

 private:
  std::vector<fs::path> made_;  // the innermost first
};

}  // namespace

TrainResult Train(TrainConfig config) {
  config.Resolve();
  const OutFolder folder(config.run);
  TrainingText text = ReadTrainingText(config.data);
  // So that the run can be resumed from any folder.
  DataConfig& d = config.data;
  for (std::string* path : {&d.source, &d.target, &d.tsv, &d.valid_source,
                            &d.valid_target, &d.valid_tsv}) {
    if (!path->empty()) *path = fs::absolute(*path).string();
  }
  return TrainOn(std::move(config), std::move(text));
}

TrainResult TrainOn(TrainConfig config, TrainingText text) {
  config.Resolve();
  const OutFolder folder(config.run);
  Vocabularies vocabularies = TrainVocabularies(text.train, config.data);
  Run run(config, std::move(text), vocabularies);
  // From here on the folder is this run's.
  fs::remove(fs::path(config.run.out) / kWeightsFile);
  fs::remove(fs::path(config.run.out) / kCheckpointFile);
  fs::remove_all(fs::path(config.run.out) / kKeptFolder);
  WriteModelConfig(config.run.out, config, vocabularies);
  return run.Train();
}

TrainResult Resume(const std::string& folder, bool quiet) {
  ModelDescription description = ReadModelConfig(folder);
  TrainConfig& config = description.config;
  config.run.out = folder;
  config.run.quiet = quiet;
  if (config.data.source.empty() && config.data.tsv.empty()) {
    throw ConfigError(
        folder +
        ": trained on text that is in no file, so it cannot be resumed");
  }
  Run run(config, ReadTrainingText(config.data), description.vocabularies);
  run.Restore();
  return run.Train();
}

}  // namespace heed
