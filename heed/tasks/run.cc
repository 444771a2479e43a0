#include "heed/tasks/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <utility>

#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/data/input_lines.h"
#include "heed/models/transformer/transformer_config.h"
#include "heed/tasks/input_files.h"
#include "heed/train/checkpoint.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTaskKey = "task";
constexpr const char* kModelKey = "model";

/// All settings of a run, as one flat list.
FieldList ListOf(TaskSettings& settings, TrainingConfig& training) {
  FieldList list;
  settings.VisitAll(list);
  settings.VisitTraining(list, training);
  return list;
}

std::vector<Field> FieldsOf(TaskSettings& settings, TrainingConfig& training) {
  return ListOf(settings, training).fields();
}

std::string TextOf(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_string()
             ? json[key].get<std::string>()
             : "";
}

/// Returns the task of a folder's settings. Throws: FormatError that names the
/// folder if no task is named; ConfigError if the task is unknown.
const TaskRow& TaskOf(const Json& settings, const std::string& folder) {
  const std::string name = TextOf(settings, kTaskKey);
  if (name.empty()) {
    throw FormatError("{}: no \"{}\"", PathIn(folder, kConfigFile), kTaskKey);
  }
  return TaskNamed(name);
}

/// Writes settings of a folder's JSON into fields. Throws: FormatError that
/// names the folder.
void SetFields(const std::vector<Field>& fields, const Json& json,
               const std::string& folder) {
  try {
    FieldsFromJson(fields, json, PathIn(folder, kConfigFile));
  } catch (const ConfigError& error) {
    throw FormatError(error.what());
  }
}

/// Reads config.json into resolved settings of a task and its training. Throws:
/// FormatError.
LoadedModel ReadSettings(const std::string& folder,
                         const ModelDescription& description) {
  Json json = description.settings;
  const std::string path = PathIn(folder, kConfigFile);
  LoadedModel loaded;
  try {
    loaded.settings = TaskOf(json, folder).settings();
    json.erase(kTaskKey);
    TaskSettings& settings = *loaded.settings;
    const std::string model = TextOf(json, kModelKey);
    if (!model.empty()) settings.ChooseModel(model);
    const FieldList list = ListOf(settings, loaded.training);
    // Earlier versions wrote options that have no effect.
    for (const FieldList::Removed& removed : list.removed()) {
      json.erase(removed.field.key);
    }
    SetFields(list.fields(), json, folder);
    FindKeptInput(settings, folder);
    settings.Resolve();
    loaded.training.Resolve();
  } catch (const ConfigError& error) {
    throw FormatError(std::string(error.what()).starts_with(path)
                          ? error.what()
                          : fmt::format("{}: {}", path, error.what()));
  }
  loaded.training.run.out = folder;
  return loaded;
}

/// Reads weights and warns if no validation has measured them. Throws: as
/// ReadWeights.
SafetensorsFile ReadFinalWeights(const std::string& folder) {
  SafetensorsFile weights = ReadWeights(folder);
  const std::string note = UnvalidatedNote(folder, weights.metadata);
  if (!note.empty()) Warn(note);
  return weights;
}

/// Sets the model's weights to those of a folder. Throws: FormatError if a
/// weight is missing or has another shape.
void TakeWeights(TaskModel& model, const std::string& folder) {
  const std::string path = ModelPath(folder, kWeightsFile);
  SetParameters(model.parameters(), ReadFinalWeights(folder).tensors, path);
  if (!model.parameters().Dequantize()) return;
  Warn(fmt::format(
      "{}: a quantised model (int8); training starts from its rounded weights",
      folder));
}

/// Checks that a run can be resumed. Throws: ConfigError, which names the kind
/// of the folder's model, if there is no training state.
void CheckContinues(const OutFolder& out) {
  if (!HasBegun(out.path()) ||
      std::filesystem::exists(out.PathOf(kCheckpointFile))) {
    return;
  }
  const SafetensorsFile file = ReadTensors(out.PathOf(kWeightsFile));
  const auto imported = file.metadata.find(kImportedKey);
  const bool bytes = std::ranges::any_of(file.tensors, [](const auto& t) {
    return t.value.dtype() == DType::kI8;
  });
  const std::string what =
      bytes ? "a quantised model (int8)"
      : imported != file.metadata.end()
          ? fmt::format("a model imported from {}", imported->second)
          : "a model alone";
  throw ConfigError(
      "{}: is {}, without the state of a training ({}) to continue; heed train "
      "--pretrained {} --out NEW starts a new training from its weights",
      out.folder(), what, kCheckpointFile, out.folder());
}

/// True if the folder's model has the same task. Throws: as ReadModelSettings;
/// ConfigError if the task cannot start from that model.
bool Continues(const TaskSettings& settings, const std::string& folder) {
  const TaskRow& task = TaskOf(ReadModelSettings(folder), folder);
  if (task.name == settings.task()) return true;
  if (settings.CanStartFrom(task)) return false;
  throw ConfigError(
      "{} holds a model for task '{}', which '{}' cannot start "
      "from",
      folder, task.name, settings.task());
}

/// Makes the initial model: fresh, or with vocabularies and weights of
/// `pretrained`.
std::unique_ptr<TaskModel> MakeStart(const TaskSettings& settings,
                                     const Dataset& data, uint64_t seed) {
  const std::string& start = settings.pretrained;
  if (start.empty() || !Continues(settings, start)) {
    return settings.MakeModel(data, seed);
  }
  auto model = settings.OpenModel(ReadModelConfig(start).files, start, seed);
  TakeWeights(*model, start);
  return model;
}

void Resolve(TaskSettings& settings, TrainingConfig& training) {
  if (!settings.pretrained.empty() &&
      !Continues(settings, settings.pretrained)) {
    settings.TakePretrained();
  }
  settings.Resolve();
  training.Resolve();
}

/// The leading process creates the folder before the others read it.
template <typename Place>
std::unique_ptr<OutFolder> OpenFolder(const Place& place,
                                      const std::string& folder,
                                      Processes& processes) {
  std::unique_ptr<OutFolder> out;
  if (processes.leads()) out = std::make_unique<OutFolder>(place);
  processes.Broadcast("");
  if (!out) out = std::make_unique<OutFolder>(folder, OutFolder::kReads);
  return out;
}

/// Sets the default number of shards: the number of processes, rounded up to a
/// power of two.
void ChooseShards(OptimizerConfig& config, const Processes& processes) {
  if (config.shards > 0) return;
  config.shards =
      static_cast<int>(std::bit_ceil(static_cast<uint32_t>(processes.size())));
}

/// Compares the settings of all processes, except machine-specific ones.
/// Throws: ConfigError in all processes if they differ.
void CheckSameSettings(TaskSettings& settings, TrainingConfig& training,
                       Processes& processes) {
  Json json = FieldsToJson(FieldsOf(settings, training));
  for (const char* key : {"out", "threads", "quiet", "overwrite"}) {
    json.erase(key);
  }
  processes.CheckSame("settings", json.dump());
}

TrainResult TrainIn(OutFolder& out, TaskSettings& settings,
                    std::unique_ptr<Dataset> data, TrainingConfig training,
                    Processes& processes) {
  // An unknown metric is reported before any long work.
  training.run.metric =
      MeasureOf(settings.Measures(*data), training.run.metric).name;
  const uint64_t seed = training.run.seed;
  const auto model = MakeStart(settings, *data, seed);
  const auto objective = settings.MakeObjective(std::move(data), *model, seed);
  if (processes.leads()) WriteSettings(settings, *model, training, out);
  return RunTraining(*objective, training, out, processes);
}

/// Sets new limits in the settings and in config.json, so that the next
/// resumption uses them.
void SetLimits(const RunLimits& limits, ModelDescription& description,
               const OutFolder& out, RunConfig& run, bool write) {
  bool changed = false;
  const auto set = [&](const char* key, const auto& limit, auto& member) {
    if (!limit || *limit == member) return;
    member = *limit;
    description.settings[key] = *limit;
    changed = true;
  };
  set("epochs", limits.epochs, run.epochs);
  if (limits.epochs || limits.steps) {
    set("min_steps", std::optional<int64_t>(0), run.min_steps);
  }
  set("steps", limits.steps, run.steps);
  set("patience", limits.patience, run.patience);
  if (changed && write) WriteModelConfig(out.path(), description);
}

}  // namespace

void TakeSettings(TaskSettings& settings, const std::string& folder) {
  const Json json = ReadModelSettings(folder);
  const bool continues = Continues(settings, folder);
  settings.pretrained = folder;
  if (!continues) {
    // The encoder may be a model of another name.
    settings.TakePretrained();
    return;
  }
  const std::string model = TextOf(json, kModelKey);
  if (!model.empty()) settings.ChooseModel(model);
  FieldList list;
  settings.Visit(list);
  Json known = Json::object();
  for (const Field& field : list.fields()) {
    if (field.section == "Data" && IsPath(field)) continue;
    for (const auto& [key, value] : json.items()) {
      if (field.IsNamed(key)) known[field.key] = value;
    }
  }
  SetFields(list.fields(), known, folder);
}

TrainResult Train(TaskSettings& settings, TrainingConfig training,
                  Processes& processes) {
  FieldList given;
  settings.VisitAll(given);
  CheckGiven(given);
  ExpandPatterns(given);
  settings.quiet = training.run.quiet;
  Resolve(settings, training);
  ChooseShards(training.optimizer, processes);
  CheckSameSettings(settings, training, processes);
  if (!processes.alone()) RefuseStreams(settings);
  const auto opened = OpenFolder(training.run, training.run.out, processes);
  OutFolder& out = *opened;
  if (processes.alone()) KeepStreams(settings, out);
  auto data = settings.ReadDataset();
  MakePathsAbsolute(settings, out);
  return TrainIn(out, settings, std::move(data), std::move(training),
                 processes);
}

TrainResult Train(TaskSettings& settings, TrainingConfig training) {
  Processes alone;
  return Train(settings, std::move(training), alone);
}

TrainResult TrainOn(TaskSettings& settings, std::unique_ptr<Dataset> data,
                    TrainingConfig training) {
  Resolve(settings, training);
  Processes alone;
  ChooseShards(training.optimizer, alone);
  OutFolder out(training.run);
  return TrainIn(out, settings, std::move(data), std::move(training), alone);
}

void WriteSettings(TaskSettings& settings, const TaskModel& model,
                   TrainingConfig& training, const OutFolder& out) {
  Json json = {{kTaskKey, settings.task()}};
  json.update(FieldsToJson(FieldsOf(settings, training)));
  WriteModelConfig(out.path(), {std::move(json), model.Files()});
}

LoadedModel ReadModelToRun(const std::string& folder, Auto<RunFormat> dtype,
                           Named<Activations> activations) {
  LoadedModel loaded = ReadModel(folder, dtype);
  if (activations == Activations::kFixed) {
    loaded.model->parameters().FixActivations();
  }
  // Some other models, such as RETAIN, also read the numbers of a matrix.
  if (loaded.metadata.contains(kFamilyKey)) {
    loaded.model->parameters().Arrange();
  }
  return loaded;
}

LoadedModel ReadModel(const std::string& folder, Auto<RunFormat> dtype) {
  const ModelDescription description = ReadModelConfig(folder);
  LoadedModel loaded = ReadSettings(folder, description);
  loaded.model = loaded.settings->OpenModel(description.files, folder, kNoSeed);
  const std::string path = ModelPath(folder, kWeightsFile);
  SafetensorsFile weights = ReadFinalWeights(folder);
  ParameterSet& parameters = loaded.model->parameters();
  // Weights are quantised while they are read.
  if (dtype == RunFormat::kInt8) {
    parameters.SetPrecision(kernels::Precision::kInt8);
  }
  TakeParameters(parameters, std::move(weights.tensors), path);
  if (!dtype.open()) parameters.SetPrecision(PrecisionOf(dtype.value()));
  loaded.metadata = std::move(weights.metadata);
  return loaded;
}

TrainResult Resume(const std::string& folder, bool quiet,
                   const RunLimits& limits, Processes& processes) {
  const auto opened = OpenFolder(folder, folder, processes);
  OutFolder& out = *opened;
  ModelDescription description = ReadModelConfig(out.path());
  LoadedModel loaded = ReadSettings(out.path(), description);
  TaskSettings& settings = *loaded.settings;
  TrainingConfig& training = loaded.training;
  training.run.quiet = settings.quiet = quiet;
  CheckContinues(out);
  if (!settings.in_files()) {
    throw ConfigError(folder +
                      ": trained on generated examples, so it cannot be "
                      "resumed");
  }
  SetLimits(limits, description, out, training.run, processes.leads());
  // Runs of versions without shards have one shard.
  training.optimizer.shards = std::max(1, training.optimizer.shards);
  const uint64_t seed = training.run.seed;
  auto data = settings.ReadDataset();
  // A run that stopped before its first checkpoint starts again.
  const auto model =
      HasBegun(out.path())
          ? settings.OpenModel(description.files, out.path(), seed)
          : MakeStart(settings, *data, seed);
  const auto objective = settings.MakeObjective(std::move(data), *model, seed);
  return ResumeTraining(*objective, training, out, processes);
}

TrainResult Resume(const std::string& folder, bool quiet,
                   const RunLimits& limits) {
  Processes alone;
  return Resume(folder, quiet, limits, alone);
}

Verification VerifyRun(const std::string& folder, const RunRecord& record,
                       int64_t steps, bool quiet, Processes& processes) {
  LoadedModel loaded = ReadSettings(folder, ReadModelConfig(folder));
  TaskSettings& settings = *loaded.settings;
  if (!settings.in_files()) {
    throw ConfigError(folder +
                      ": trained on generated examples, which no "
                      "command can make again");
  }
  TrainingConfig& training = loaded.training;
  training.run.quiet = settings.quiet = quiet;
  training.optimizer.shards = record.shards;
  auto data = settings.ReadDataset();
  const auto model = MakeStart(settings, *data, training.run.seed);
  const auto objective =
      settings.MakeObjective(std::move(data), *model, training.run.seed);
  try {
    return Verify(*objective, training, record, steps > 0 ? steps : record.step,
                  processes);
  } catch (const FormatError& error) {
    throw FormatError("{}: {}", PathIn(folder, kRunFile), error.what());
  }
}

}  // namespace heed
