// Training and resuming a task, and reading its model folder.
#ifndef HEED_TASKS_RUN_H_
#define HEED_TASKS_RUN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "heed/io/safetensors.h"
#include "heed/models/settings.h"
#include "heed/tasks/task.h"
#include "heed/train/out_folder.h"
#include "heed/train/run_record.h"
#include "heed/train/trainer.h"

namespace heed {

/// Makes training start from the model in `folder`: chooses its model and, if
/// both have the same task, takes all of its settings except the files of the
/// examples. Throws: as ReadModel; ConfigError if the task cannot start from
/// that model.
void TakeSettings(TaskSettings& settings, const std::string& folder);

/// Trains on the files that the settings name and writes the model to
/// training.run.out. Progress goes to standard error. Distributed processes all
/// call it with equal settings and files. Throws: as RunTraining and the
/// functions of the settings.
TrainResult Train(TaskSettings& settings, TrainingConfig training,
                  Processes& processes);
TrainResult Train(TaskSettings& settings, TrainingConfig training);
/// Trains on examples that are in memory.
TrainResult TrainOn(TaskSettings& settings, std::unique_ptr<Dataset> data,
                    TrainingConfig training);
template <typename S>
TrainResult TrainOn(S& settings, typename S::Data data,
                    TrainingConfig training) {
  return TrainOn(static_cast<TaskSettings&>(settings),
                 std::make_unique<DatasetOf<typename S::Data>>(std::move(data)),
                 std::move(training));
}

/// Writes settings and vocabularies. Throws: IoError.
void WriteSettings(TaskSettings& settings, const TaskModel& model,
                   TrainingConfig& training, const OutFolder& out);

/// A model folder that was read.
struct LoadedModel {
  std::unique_ptr<TaskSettings> settings;
  TrainingConfig training;
  std::unique_ptr<TaskModel> model;
  Metadata metadata;  // of the weights: step, score

  const TaskRow& task() const { return TaskNamed(settings->task()); }
  InputKind input() const { return settings->input_kind(); }
  /// Makes a predictor with these options, or with the task's defaults.
  std::unique_ptr<Predictor> MakePredictor(const OptionSet& options) const {
    return settings->MakePredictor(*model, options);
  }
  std::unique_ptr<Predictor> MakePredictor() const {
    return MakePredictor(*settings->PredictOptions());
  }
  /// How the predictor reads standard input.
  InputReading ReadingOf(const Predictor& predictor) const {
    return settings->Reading(predictor.options());
  }
};

/// Reads a model folder. `dtype`: type to which matrix products round their
/// factors, "f32", "bf16" or "int8" (int8 matrices need a quarter of the
/// memory); "auto": as trained, or as written by heed quantize.
/// Throws: IoError or FormatError that names the file that is missing,
/// truncated, damaged or of a newer version; ConfigError if the model cannot be
/// converted to the dtype.
LoadedModel ReadModel(const std::string& folder, Auto<RunFormat> dtype = {});
/// Reads a model that is only run. A model of Hugging Face holds each matrix
/// once, packed for products. Throws: as ReadModel; ConfigError if activations
/// are fixed, but the model has no multipliers for them.
LoadedModel ReadModelToRun(const std::string& folder,
                           Auto<RunFormat> dtype = {},
                           Named<Activations> activations = Activations::kRow);

/// New limits of a resumed run; empty members keep their values.
struct RunLimits {
  std::optional<int> epochs = {};
  std::optional<int64_t> steps = {};
  std::optional<int> patience = {};
};

/// Resumes the run of a folder from its last checkpoint. The final weights are
/// bit for bit those of an uninterrupted run with these limits, for any number
/// of threads and of processes up to the number of shards. Learning-rate
/// schedules that depend on the length of the run follow the new length from
/// here on. Throws: as Train; FormatError if the examples have changed.
TrainResult Resume(const std::string& folder, bool quiet,
                   const RunLimits& limits, Processes& processes);
TrainResult Resume(const std::string& folder, bool quiet,
                   const RunLimits& limits = {});

/// Repeats the first `steps` of the run that wrote the model and this record in
/// `folder` (0: all up to its last checkpoint) without writing anything, and
/// compares the results (heed/train/run_record.h). Throws: as Resume.
Verification VerifyRun(const std::string& folder, const RunRecord& record,
                       int64_t steps, bool quiet, Processes& processes);

}  // namespace heed

#endif  // HEED_TASKS_RUN_H_
