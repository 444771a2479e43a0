// Training a task, going on with it, and reading what came of it.
#ifndef HEED_TASKS_RUN_H_
#define HEED_TASKS_RUN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "heed/io/safetensors.h"
#include "heed/tasks/task.h"
#include "heed/train/out_folder.h"
#include "heed/train/run_record.h"
#include "heed/train/trainer.h"

namespace heed {

/// Sets a task to go on from the model in `folder`: it chooses its model, and
/// where both are of one task, takes all of its settings but for the files of
/// its examples. Throws: as ReadModel; ConfigError if the task cannot start
/// from that one.
void TakeSettings(TaskSettings& settings, const std::string& folder);

/// Trains on the files that the settings name, and leaves the model in
/// training.run.out. Progress goes to standard error. Of several processes all
/// call it with the same settings and files. Throws: as RunTraining and the
/// functions of the settings.
TrainResult Train(TaskSettings& settings, TrainingConfig training,
                  Processes& processes);
TrainResult Train(TaskSettings& settings, TrainingConfig training);
/// The same on examples that are in memory.
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
  /// What it reads.
  InputKind input() const { return settings->input_kind(); }
  /// With these options, or those of the task.
  std::unique_ptr<Predictor> MakePredictor(const OptionSet& options) const {
    return settings->MakePredictor(*model, options);
  }
  std::unique_ptr<Predictor> MakePredictor() const {
    return MakePredictor(*settings->PredictOptions());
  }
  /// How its predictor's standard input is read.
  InputReading ReadingOf(const Predictor& predictor) const {
    return settings->Reading(predictor.options());
  }
};

/// `dtype`: what products round their factors to, "f32", "bf16" or "int8", in
/// which matrices then take a quarter of the memory; "auto": as trained, or as
/// written by heed quantize.
/// Throws: IoError or FormatError that names the file that is missing, cut
/// short, damaged or of a newer version; ConfigError for a dtype that there is
/// no way back to.
LoadedModel ReadModel(const std::string& folder,
                      const std::string& dtype = "auto");

/// New limits of a run that goes on; the others stay.
struct RunLimits {
  std::optional<int> epochs = {};
  std::optional<int64_t> steps = {};
  std::optional<int> patience = {};
};

/// Continues the run of a folder from its last checkpoint, to the same weights
/// bit for bit as if it had not stopped, with any number of threads and of
/// processes up to its shards, and had these limits from its start; schedules
/// that depend on the length of the run follow the new one from here on.
/// Throws: as Train; FormatError if the examples have changed since.
TrainResult Resume(const std::string& folder, bool quiet,
                   const RunLimits& limits, Processes& processes);
TrainResult Resume(const std::string& folder, bool quiet,
                   const RunLimits& limits = {});

/// Repeats the first `steps` of the run that left the model and this record in
/// `folder`, or all of it up to its last checkpoint if that is 0, without
/// writing anything, and compares (heed/train/run_record.h). Throws: as Resume.
Verification VerifyRun(const std::string& folder, const RunRecord& record,
                       int64_t steps, bool quiet, Processes& processes);

}  // namespace heed

#endif  // HEED_TASKS_RUN_H_
