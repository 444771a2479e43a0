#include "heed/tasks/task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "heed/base/errors.h"
#include "heed/models/transformer_config.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTaskKey = "task";
constexpr const char* kModelKey = "model";
constexpr const char* kFirstTask = "translate";

/// All settings of a run, as one flat list.
struct Settings {
  Task& task;
  TrainingConfig& training;

  void Visit(FieldList& v) {
    task.Visit(v);
    training.Visit(v);
  }
  std::vector<Field> Fields() {
    FieldList list;
    Visit(list);
    return list.fields();
  }
};

std::string TextOr(const Json& json, const char* key, const char* otherwise) {
  return json.contains(key) && json[key].is_string()
             ? json[key].get<std::string>()
             : otherwise;
}

/// So that the run can be resumed from any folder.
void MakePathsAbsolute(Task& task) {
  FieldList list;
  task.Visit(list);
  for (const Field& field : list.fields()) {
    const Any* any = std::get_if<Any>(&field.constraint);
    if (any == nullptr ||
        (any->placeholder != "FILE" && any->placeholder != "DIR"))
      continue;
    if (field.IsList()) {
      for (std::string& path :
           *std::get<std::vector<std::string>*>(field.target)) {
        path = std::filesystem::absolute(path).string();
      }
      continue;
    }
    std::string& path = *std::get<std::string*>(field.target);
    if (!path.empty()) path = std::filesystem::absolute(path).string();
  }
}

Json ToJson(Task& task, TrainingConfig& training) {
  Json json = {{kTaskKey, task.name()}};
  json.update(FieldsToJson(Settings{task, training}.Fields()));
  return json;
}

/// Settings and vocabularies, without a model.
LoadedTask ReadSettings(const std::string& folder) {
  ModelDescription description = ReadModelConfig(folder);
  Json& json = description.settings;
  const std::string path = PathIn(folder, "config.json");
  LoadedTask loaded;
  try {
    // Folders of before there were other tasks name none.
    loaded.task = MakeTask(TextOr(json, kTaskKey, kFirstTask));
    json.erase(kTaskKey);
    Task& task = *loaded.task;
    if (json.contains(kModelKey)) task.ChooseModel(TextOr(json, kModelKey, ""));
    const std::vector<Field> fields = Settings{task, loaded.training}.Fields();
    DropFormerSettings(fields, json);
    FieldsFromJson(fields, json, path);
    task.Resolve();
    loaded.training.Resolve();
  } catch (const ConfigError& error) {
    throw FormatError(std::string(error.what()).starts_with(path)
                          ? error.what()
                          : fmt::format("{}: {}", path, error.what()));
  }
  loaded.training.run.out = folder;
  loaded.task->SetFiles(description.files, folder);
  return loaded;
}

}  // namespace

std::unique_ptr<Task> MakeTask(const std::string& name) {
  std::vector<std::string> names;
  for (const TaskInfo& info : Tasks()) {
    if (info.name == name) return info.make();
    names.push_back(info.name);
  }
  throw ConfigError(fmt::format("unknown task '{}'{} (valid: {})", name,
                                DidYouMean(name, names),
                                fmt::join(names, ", ")));
}

TrainResult Train(Task& task, TrainingConfig training) {
  task.Resolve();
  const OutFolder folder(training.run);
  task.ReadExamples();
  MakePathsAbsolute(task);
  return TrainOnExamples(task, std::move(training));
}

TrainResult TrainOnExamples(Task& task, TrainingConfig training) {
  task.Resolve();
  training.Resolve();
  const OutFolder folder(training.run);
  // A wrong name is told before any long work.
  training.run.metric = MeasureOf(task, training.run.metric).name;
  task.LearnVocabularies();
  task.MakeModel(training.run.seed);
  task.StartWeights();
  task.EncodeExamples();
  WriteSettings(task, training);
  return RunTraining(task, training);
}

void WriteSettings(Task& task, TrainingConfig& training) {
  const std::string& out = training.run.out;
  // From here on the folder is this run's.
  OutFolder::ForgetOldRun(out);
  WriteModelConfig(out, {ToJson(task, training), task.Files()});
}

LoadedTask ReadTask(const std::string& folder, const std::string& dtype) {
  LoadedTask loaded = ReadSettings(folder);
  loaded.task->MakeModel(kNoSeed);
  const std::string path = PathIn(folder, kWeightsFile);
  SafetensorsFile weights = ReadTensors(path);
  SetParameters(loaded.task->parameters(), weights.tensors, path);
  if (dtype != "auto") {
    loaded.task->parameters().SetPrecision(
        dtype == "int8" ? kernels::Precision::kInt8 : ParsePrecision(dtype));
  }
  loaded.metadata = std::move(weights.metadata);
  return loaded;
}

TrainResult Resume(const std::string& folder, bool quiet) {
  LoadedTask loaded = ReadSettings(folder);
  loaded.training.run.quiet = quiet;
  if (!loaded.task->in_files()) {
    throw ConfigError(folder +
                      ": trained on examples that are in no file, so it cannot "
                      "be resumed");
  }
  // Stopped before it had anything of its own, a run starts once more.
  const bool begun = HasBegun(folder);
  loaded.task->MakeModel(begun ? kNoSeed : loaded.training.run.seed);
  if (!begun) loaded.task->StartWeights();
  loaded.task->ReadExamples();
  loaded.task->EncodeExamples();
  return ResumeTraining(*loaded.task, loaded.training);
}

}  // namespace heed
