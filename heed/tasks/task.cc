#include "heed/tasks/task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <istream>
#include <limits>
#include <ostream>

#include "heed/base/errors.h"
#include "heed/models/transformer_config.h"
#include "heed/tasks/input_files.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTaskKey = "task";
constexpr const char* kModelKey = "model";

/// All settings of a run, as one flat list.
struct Settings {
  Task& task;
  TrainingConfig& training;

  void Visit(FieldList& v) {
    task.VisitAll(v);
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

/// Writes settings of a folder's JSON into fields. Throws: FormatError that
/// names the folder.
void SetFields(const std::vector<Field>& fields, Json& json,
               const std::string& folder) {
  const std::string path = PathIn(folder, kConfigFile);
  try {
    FieldsFromJson(fields, json, path);
  } catch (const ConfigError& error) {
    throw FormatError(error.what());
  }
}

Json ToJson(Task& task, TrainingConfig& training) {
  Json json = {{kTaskKey, task.name()}};
  json.update(FieldsToJson(Settings{task, training}.Fields()));
  return json;
}

/// A resolved task and its training of what config.json says. Throws:
/// FormatError.
LoadedTask ReadSettings(const std::string& folder,
                        ModelDescription& description) {
  description = ReadModelConfig(folder);
  Json json = description.settings;
  const std::string path = PathIn(folder, kConfigFile);
  LoadedTask loaded;
  try {
    loaded.task = MakeTask(TextOr(json, kTaskKey, ""));
    json.erase(kTaskKey);
    Task& task = *loaded.task;
    if (json.contains(kModelKey)) task.ChooseModel(TextOr(json, kModelKey, ""));
    SetFields(Settings{task, loaded.training}.Fields(), json, folder);
    FindKeptInput(task, folder);
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

/// Throws: FormatError if a weight is missing or has another shape, or if the
/// model is quantised.
void TakeWeights(Task& task, const std::string& folder) {
  const std::string path = ModelPath(folder, kWeightsFile);
  const SafetensorsFile file = ReadTensors(path);
  for (const NamedTensor& tensor : file.tensors) {
    if (tensor.value.dtype() != DType::kI8) continue;
    throw FormatError(fmt::format(
        "{}: is quantised (int8) and cannot be trained; start from the model "
        "that it was made of",
        folder));
  }
  SetParameters(task.parameters(), file.tensors, path);
}

/// Whether training goes on with a model of the same task. Throws: as
/// ReadModelSettings; ConfigError if it can start from neither.
bool Continues(const Task& task, const std::string& folder) {
  const std::string name = TextOr(ReadModelSettings(folder), kTaskKey, "");
  if (!task.CanStartFrom(name)) {
    throw ConfigError(
        fmt::format("{} holds a model for task '{}', which '{}' cannot start "
                    "from",
                    folder, name, task.name()));
  }
  return name == task.name();
}

/// Those of `pretrained`, if there is one.
void StartWeights(Task& task) {
  if (task.pretrained.empty()) return;
  if (Continues(task, task.pretrained)) {
    TakeWeights(task, task.pretrained);
  } else {
    task.StartWeights();
  }
}

/// Vocabularies and weights, fresh or those of `pretrained`.
void MakeStart(Task& task, uint64_t seed) {
  if (!task.pretrained.empty() && Continues(task, task.pretrained)) {
    task.SetFiles(ReadModelConfig(task.pretrained).files, task.pretrained);
  } else {
    task.LearnVocabularies();
  }
  task.MakeModel(seed);
  task.EncodeExamples();
  StartWeights(task);
}

TrainResult TrainIn(OutFolder& out, Task& task, TrainingConfig training) {
  // A wrong name is told before any long work.
  training.run.metric = MeasureOf(task, training.run.metric).name;
  MakeStart(task, training.run.seed);
  WriteSettings(task, training, out);
  return RunTraining(task, training, out);
}

/// Puts new limits into the settings, also of the file, so that the next
/// resumption knows them.
void SetLimits(const RunLimits& limits, ModelDescription& description,
               const OutFolder& out, RunConfig& run) {
  bool changed = false;
  const auto set = [&](const char* key, const auto& limit, auto& member) {
    if (!limit || *limit == member) return;
    member = *limit;
    description.settings[key] = *limit;
    changed = true;
  };
  set("epochs", limits.epochs, run.epochs);
  set("steps", limits.steps, run.steps);
  set("patience", limits.patience, run.patience);
  if (changed) WriteModelConfig(out.path(), description);
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

void Task::VisitAll(FieldList& v) {
  const auto count_main = [&] {
    return std::ranges::count_if(v.fields(), &Field::main);
  };
  const auto before = count_main();
  Visit(v);
  // Help begins with ten options; a task that names four files has no room.
  constexpr int kRoom = 4;
  const bool is_main = count_main() - before <= kRoom;
  v.Section("Start");
  v("pretrained", pretrained, Any{"DIR"},
    "go on from this folder's model, trained or imported, of the same task: "
    "its settings, vocabularies and weights, with a fresh optimiser "
    "(classify, tag and slots: also the encoder of --task pretrain); "
    "--freeze keeps parameters as they are");
  if (is_main) v.Main();
}

std::string Task::LearntSizeNote(int64_t size, int asked) const {
  if (!pretrained.empty() || asked == 0 || size == asked) return "";
  return size < asked
             ? fmt::format(" (the text does not allow {})", asked)
             : fmt::format(" ({} are too few for its characters)", asked);
}

void TakeSettings(Task& task, const std::string& folder) {
  Json json = ReadModelSettings(folder);
  const bool continues = Continues(task, folder);
  task.pretrained = folder;
  const std::string model = TextOr(json, kModelKey, "");
  if (!model.empty()) task.ChooseModel(model);
  if (!continues) return;
  FieldList list;
  task.Visit(list);
  Json known = Json::object();
  for (const Field& field : list.fields()) {
    if (field.section == "Data" && IsPath(field)) continue;
    for (const auto& [key, value] : json.items()) {
      if (field.IsNamed(key)) known[field.key] = value;
    }
  }
  SetFields(list.fields(), known, folder);
}

void PredictStream(const Task& task, const Context& ctx, std::istream& in,
                   std::ostream& out, const InputOptions& options, bool json) {
  const Predictor predict = task.MakePredictor(ctx, json, options);
  const auto write = [&](const ModelAnswer& answer) {
    out << (json ? answer.parts.dump(-1, ' ', false,
                                     Json::error_handler_t::replace)
                 : answer.line)
        << '\n';
  };
  // So that a reader at the other end of a pipe is not kept waiting.
  const auto flush = [&out] {
    if (!out.flush()) throw IoError("standard output: cannot be written");
  };
  const auto answer = [&](const std::vector<std::string>& inputs,
                          int64_t first) {
    for (const ModelAnswer& a : predict(inputs, first)) write(a);
    flush();
  };
  const auto refuse = [&](int64_t /*index*/, const std::string& reason) {
    write({"", {{"error", reason}}});
    flush();
  };
  const InputReading reading = task.reading();
  if (!reading.whole) {
    return AnswerLines(in, reading.window, options, answer, refuse);
  }
  std::string text;
  AnswerLines(
      in, std::numeric_limits<int64_t>::max(), options,
      [&text](const std::vector<std::string>& lines, int64_t /*first*/) {
        for (const std::string& line : lines) text += line + '\n';
      },
      [&text](int64_t, const std::string&) { text += '\n'; });
  if (text.ends_with('\n')) text.pop_back();
  answer({text}, 0);
}

void PredictStream(const Task& task, const Context& ctx, std::istream& in,
                   std::ostream& out) {
  PredictStream(task, ctx, in, out, task.reading().defaults);
}

TrainResult Train(Task& task, TrainingConfig training) {
  task.Resolve();
  training.Resolve();
  OutFolder out(training.run);
  KeepStreams(task, out);
  task.ReadExamples();
  MakePathsAbsolute(task, out);
  return TrainIn(out, task, std::move(training));
}

TrainResult TrainOnExamples(Task& task, TrainingConfig training) {
  task.Resolve();
  training.Resolve();
  OutFolder out(training.run);
  return TrainIn(out, task, std::move(training));
}

void WriteSettings(Task& task, TrainingConfig& training, const OutFolder& out) {
  WriteModelConfig(out.path(), {ToJson(task, training), task.Files()});
}

LoadedTask ReadTask(const std::string& folder, const std::string& dtype) {
  ModelDescription description;
  LoadedTask loaded = ReadSettings(folder, description);
  loaded.task->MakeModel(kNoSeed);
  const std::string path = ModelPath(folder, kWeightsFile);
  SafetensorsFile weights = ReadTensors(path);
  SetParameters(loaded.task->parameters(), weights.tensors, path);
  if (dtype != "auto") {
    loaded.task->parameters().SetPrecision(
        dtype == "int8" ? kernels::Precision::kInt8
                        : PrecisionOf(Named<NumberFormat>(dtype)));
  }
  loaded.metadata = std::move(weights.metadata);
  return loaded;
}

TrainResult Resume(const std::string& folder, bool quiet,
                   const RunLimits& limits) {
  OutFolder out(folder);
  ModelDescription description;
  LoadedTask loaded = ReadSettings(out.path(), description);
  Task& task = *loaded.task;
  TrainingConfig& training = loaded.training;
  training.run.quiet = quiet;
  if (!task.in_files()) {
    throw ConfigError(folder +
                      ": trained on examples that are in no file, so it cannot "
                      "be resumed");
  }
  SetLimits(limits, description, out, training.run);
  // With the run's seed, on which what is made of the examples may depend.
  task.MakeModel(training.run.seed);
  task.ReadExamples();
  task.EncodeExamples();
  // Stopped before it had anything of its own, a run starts once more.
  if (!HasBegun(out.path())) StartWeights(task);
  return ResumeTraining(task, training, out);
}

}  // namespace heed
