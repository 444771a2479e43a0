#include "heed/train/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/io/file.h"
#include "heed/kernels/instructions.h"
#include "heed/train/model_folder.h"
#include "heed/train/optimizer.h"
#include "heed/train/progress.h"
#include "heed/train/update.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kAllUpTo = 1000;
constexpr int64_t kThenEach = 100;

bool IsKept(int64_t step) { return step <= kAllUpTo || step % kThenEach == 0; }

uint32_t DigestOf(double loss, double gradient_norm) {
  const std::array<double, 2> numbers = {loss, gradient_norm};
  std::array<char, sizeof(numbers)> bytes;
  std::memcpy(bytes.data(), numbers.data(), sizeof(numbers));
  return Crc32({bytes.data(), bytes.size()});
}

std::string SumText(uint32_t number) { return fmt::format("{:08x}", number); }

}  // namespace

std::map<std::string, std::string> SumsOf(const ParameterSet& parameters) {
  std::map<std::string, std::string> sums;
  for (const NamedTensor& tensor : parameters.Tensors()) {
    const Tensor& value = tensor.value;
    sums[tensor.name] = SumText(Crc32({static_cast<const char*>(value.raw()),
                                       static_cast<size_t>(value.bytes())}));
  }
  return sums;
}

RunRecord RunRecord::Begin(std::string examples, const TrainingConfig& config) {
  RunRecord record;
  record.version = HEED_VERSION;
  record.instructions = kernels::InstructionSet();
  record.examples = std::move(examples);
  record.seed = config.run.seed;
  record.shards = std::max(1, config.optimizer.shards);
  return record;
}

RunRecord RunRecord::Read(const std::string& path) {
  const Json json = ParseJson(ReadFile(path), path);
  RunRecord record;
  try {
    json.at("version").get_to(record.version);
    json.at("instructions").get_to(record.instructions);
    json.at("examples").get_to(record.examples);
    json.at("seed").get_to(record.seed);
    json.at("shards").get_to(record.shards);
    json.at("step").get_to(record.step);
    for (const auto& [step, digest] : json.at("steps").items()) {
      record.steps[std::stoll(step)] = static_cast<uint32_t>(
          std::stoul(digest.get<std::string>(), nullptr, 16));
    }
    json.at("weights").get_to(record.weights);
  } catch (const std::exception& error) {
    throw FormatError("{}: not the record of a run: {}", path, error.what());
  }
  return record;
}

void RunRecord::Add(int64_t step, double loss, double gradient_norm) {
  if (IsKept(step)) steps[step] = DigestOf(loss, gradient_norm);
}

void RunRecord::GoBackTo(int64_t step) {
  steps.erase(steps.upper_bound(step), steps.end());
}

void RunRecord::SetWeights(const ParameterSet& parameters, int64_t at_step) {
  step = at_step;
  weights = SumsOf(parameters);
}

void RunRecord::Write(const std::string& folder) const {
  Json digests = Json::object();
  for (const auto& [step, digest] : steps) {
    digests[std::to_string(step)] = SumText(digest);
  }
  Json json = {{"version", version},   {"instructions", instructions},
               {"examples", examples}, {"seed", seed},
               {"shards", shards},     {"step", step}};
  const std::string config = PathIn(folder, kConfigFile);
  if (std::filesystem::exists(config))
    json["settings"] = ReadModelSettings(folder);
  json["weights"] = weights;
  json["steps"] = std::move(digests);
  WriteFileAtomically(PathIn(folder, kRunFile), json.dump(1) + "\n");
}

Verification Verify(Trainable& trained, const TrainingConfig& config,
                    const RunRecord& record, int64_t steps,
                    Processes& processes) {
  if (trained.Checksum() != record.examples) {
    throw FormatError("the examples differ from those of the run");
  }
  if (!config.optimizer.freeze.empty()) {
    Freeze(trained.parameters(), config.optimizer.freeze);
  }
  Optimizer optimizer(trained.parameters(), config.optimizer);
  Rng rng(config.run.seed);
  Updater updater(trained, config.optimizer, optimizer, rng, processes);
  Progress progress(trained.unit(), config.run.quiet || !processes.leads());
  Verification result;
  int64_t units = 0;
  for (int number = 0;
       result.steps < steps && !config.run.IsOver(number, result.steps);
       ++number) {
    Epoch epoch(trained, config, number);
    for (int64_t batch = 0; batch < epoch.batches() && result.steps < steps;) {
      const auto group = epoch.Group(batch);
      batch += std::ssize(group);
      const UpdateResult update =
          updater.Update(group, ++result.steps, epoch.last_step());
      trained.Updated(update.parts);
      units += update.units;
      progress.Update({.label = "verifying",
                       .step = result.steps,
                       .steps = steps,
                       .units = units,
                       .loss = update.nll});
      const auto kept = record.steps.find(result.steps);
      if (kept == record.steps.end()) continue;
      ++result.compared;
      if (kept->second == DigestOf(update.loss, update.norm)) continue;
      result.differs = result.steps;
      return result;
    }
  }
  if (result.steps != record.step) return result;
  result.weights = true;
  const auto sums = SumsOf(trained.parameters());
  for (const auto& [name, sum] : record.weights) {
    const auto own = sums.find(name);
    if (own != sums.end() && own->second == sum) continue;
    result.parameter = name;
    break;
  }
  return result;
}

}  // namespace heed
