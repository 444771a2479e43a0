#include "heed/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "heed/base/config.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/train/model_folder.h"

namespace heed {
namespace {

constexpr const char* kStateKey = "heed.training";
constexpr std::string_view kObjective = "objective.";
constexpr const char* kStepKey = "heed.step";
constexpr const char* kStepsKey = "heed.steps";
constexpr const char* kValidatedKey = "heed.validated";

using Json = nlohmann::ordered_json;

Json LossToJson(double loss) {
  return std::isfinite(loss) ? Json(loss) : Json();
}

double LossFromJson(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity()
                        : json.get<double>();
}

Json ToJson(const ValidationState& v) {
  return {{"has_best", v.has_best},
          {"best", v.best},
          {"best_loss", LossToJson(v.best_loss)},
          {"best_step", v.best_step},
          {"stale", v.stale},
          {"kept", v.kept},
          {"top", v.top},
          {"least_loss", LossToJson(v.lowest_loss)}};
}

ValidationState ValidationFromJson(const Json& json) {
  ValidationState v;
  json.at("has_best").get_to(v.has_best);
  json.at("best").get_to(v.best);
  v.best_loss = LossFromJson(json.at("best_loss"));
  json.at("best_step").get_to(v.best_step);
  json.at("stale").get_to(v.stale);
  json.at("kept").get_to(v.kept);
  // Older checkpoints lack these two fields.
  v.top = json.value("top", v.best);
  v.lowest_loss = json.contains("least_loss") ? LossFromJson(json["least_loss"])
                                              : v.best_loss;
  return v;
}

Json ToJson(const TrainingState& s) {
  Json json = {{"step", s.step},
               {"epoch", s.epoch},
               {"batch", s.batch},
               {"tokens", s.tokens},
               {"rng_position", s.rng_position},
               {"steps", s.steps},
               {"examples", s.examples}};
  json.update(ToJson(s.valid));
  if (s.scheduled) json["scheduled"] = ToJson(*s.scheduled);
  return json;
}

TrainingState FromJson(const Json& json) {
  TrainingState s;
  json.at("step").get_to(s.step);
  json.at("epoch").get_to(s.epoch);
  json.at("batch").get_to(s.batch);
  json.at("tokens").get_to(s.tokens);
  json.at("rng_position").get_to(s.rng_position);
  json.at("examples").get_to(s.examples);
  s.steps = json.value("steps", int64_t{0});  // absent in older checkpoints
  s.valid = ValidationFromJson(json);
  if (json.contains("scheduled")) {
    s.scheduled = ValidationFromJson(json["scheduled"]);
  }
  return s;
}

/// Tensors of an objective under their names in the file.
std::vector<NamedTensor> InFile(std::vector<NamedTensor> objective) {
  for (NamedTensor& tensor : objective) {
    tensor.name.insert(0, kObjective);
  }
  return objective;
}

/// Parses the training state in the metadata of a checkpoint. Throws:
/// FormatError.
Json StateJson(const Metadata& metadata, const std::string& path) {
  const auto text = metadata.find(kStateKey);
  if (text == metadata.end()) {
    throw FormatError(path + ": not a training checkpoint");
  }
  return ParseJson(text->second, path);
}

}  // namespace

void CheckFinite(const std::vector<NamedTensor>& tensors) {
  for (const NamedTensor& tensor : tensors) {
    if (!IsFinite(tensor.value)) {
      throw NumericError("{} is not finite", tensor.name);
    }
  }
}

void WriteCheckpoint(const std::string& path, const ParameterSet& parameters,
                     const Optimizer& optimizer, const WeightAverage* average,
                     const TrainingState& state) {
  std::vector<NamedTensor> tensors = parameters.Tensors();
  std::vector<NamedTensor> objective = InFile(state.objective);
  CheckFinite(tensors);
  CheckFinite(objective);
  const auto add = [&](std::vector<NamedTensor> state) {
    std::move(state.begin(), state.end(), std::back_inserter(tensors));
  };
  add(optimizer.State());
  if (average) add(average->State());
  add(std::move(objective));
  WriteTensors(path, tensors, {{kStateKey, ToJson(state).dump()}});
}

TrainingState ReadCheckpoint(const std::string& path, ParameterSet& parameters,
                             Optimizer& optimizer, WeightAverage* average) {
  const SafetensorsFile file = ReadTensors(path);
  const Json json = StateJson(file.metadata, path);
  try {
    TrainingState state = FromJson(json);
    SetParameters(parameters, file.tensors, path);
    optimizer.Restore(file.tensors, path);
    if (average) average->Restore(file.tensors, path);
    for (const NamedTensor& tensor : file.tensors) {
      if (!tensor.name.starts_with(kObjective)) continue;
      state.objective.push_back(
          {tensor.name.substr(kObjective.size()), tensor.value});
    }
    return state;
  } catch (const nlohmann::json::exception& error) {
    throw FormatError("{}: bad training state: {}", path, error.what());
  }
}

Metadata UnvalidatedAt(const TrainingState& state) {
  return {{kStepKey, std::to_string(state.step)},
          {kStepsKey, std::to_string(state.steps)},
          {kValidatedKey, "no"}};
}

std::string UnvalidatedNote(const std::string& folder,
                            const Metadata& metadata) {
  const auto value = [&metadata](const char* key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : found->second;
  };
  if (value(kValidatedKey) != "no") return "";
  const std::string steps = value(kStepsKey);
  std::string note = fmt::format(
      "{} has no validated weights yet (stopped at step {}{})", folder,
      value(kStepKey),
      steps.empty() || steps == "0" ? "" : fmt::format(" of {}", steps));
  // A copy of the weights alone, such as from heed quantize, cannot be resumed.
  if (std::filesystem::exists(ModelPath(folder, kCheckpointFile))) {
    note += fmt::format("; continue with heed train --resume {}", folder);
  }
  return note;
}

bool HasValidatedWeights(const std::string& folder) {
  const std::string path = ModelPath(folder, kWeightsFile);
  return std::filesystem::exists(path) &&
         UnvalidatedNote(folder, ReadTensors(path).metadata).empty();
}

SafetensorsFile ReadWeights(const std::string& folder) {
  const std::string path = ModelPath(folder, kWeightsFile);
  const std::string checkpoint = ModelPath(folder, kCheckpointFile);
  if (std::filesystem::exists(path) || !std::filesystem::exists(checkpoint)) {
    return ReadTensors(path);
  }
  const Json json = StateJson(ReadTensors(checkpoint).metadata, checkpoint);
  TrainingState state;
  try {
    state = FromJson(json);
  } catch (const nlohmann::json::exception& error) {
    throw FormatError("{}: bad training state: {}", checkpoint, error.what());
  }
  const bool ended = state.steps > 0 && state.step >= state.steps;
  if (ended) return ReadTensors(path);  // reports the missing file
  throw FormatError(UnvalidatedNote(folder, UnvalidatedAt(state)));
}

std::vector<NamedTensor> ObjectiveState(
    const TrainingState& state, const std::vector<NamedTensor>& expected,
    const std::string& path) {
  const std::vector<NamedTensor> saved = InFile(state.objective);
  const std::vector<NamedTensor> wanted = InFile(expected);
  std::vector<NamedTensor> found;
  for (size_t i = 0; i < wanted.size(); ++i) {
    found.push_back({expected[i].name,
                     FindTensor(saved, wanted[i].name, wanted[i].value, path)});
  }
  for (const NamedTensor& tensor : saved) {
    if (std::ranges::find(wanted, tensor.name, &NamedTensor::name) ==
        wanted.end()) {
      throw FormatError("{}: tensor '{}' is of another objective", path,
                        tensor.name);
    }
  }
  return found;
}

}  // namespace heed
