#include "heed/train/update.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/train/interrupt.h"
#include "heed/train/schedule.h"

namespace heed {

void AddMetrics(Metrics& sums, const Metrics& terms) {
  for (const auto& [name, value] : terms) {
    const auto known =
        std::ranges::find(sums, name, &Metrics::value_type::first);
    if (known == sums.end()) {
      sums.emplace_back(name, value);
    } else {
      known->second += value;
    }
  }
}

namespace {

void AppendBytes(std::string& bytes, const void* data, size_t size) {
  bytes.append(static_cast<const char*>(data), size);
}

/// Serialises the result of a shard for the other processes.
void AppendResult(const UpdateResult& result, std::string& bytes) {
  const std::array<double, 2> sums = {result.loss, result.nll};
  AppendBytes(bytes, sums.data(), sizeof(sums));
  const auto count = std::ssize(result.parts);
  AppendBytes(bytes, &count, sizeof(count));
  for (const auto& [name, value] : result.parts) {
    const auto length = std::ssize(name);
    AppendBytes(bytes, &length, sizeof(length));
    bytes += name;
    AppendBytes(bytes, &value, sizeof(value));
  }
}

/// Adds the serialised results of the shards of a process to the sums.
void AddResults(std::string_view bytes, UpdateResult& sums) {
  const auto take = [&bytes](void* to, size_t size) {
    std::memcpy(to, bytes.data(), size);
    bytes.remove_prefix(size);
  };
  while (!bytes.empty()) {
    std::array<double, 2> loss = {};
    take(loss.data(), sizeof(loss));
    sums.loss += loss[0];
    sums.nll += loss[1];
    ptrdiff_t count = 0;
    take(&count, sizeof(count));
    Metrics parts;
    for (; count > 0; --count) {
      ptrdiff_t length = 0;
      take(&length, sizeof(length));
      std::string name(static_cast<size_t>(length), ' ');
      take(name.data(), name.size());
      double value = 0;
      take(&value, sizeof(value));
      parts.emplace_back(std::move(name), value);
    }
    AddMetrics(sums.parts, parts);
  }
}

/// Divides examples into consecutive parts with about equal numbers of units.
std::vector<Interval> Split(const Trainable& trained,
                            std::span<const int64_t> examples, int64_t parts) {
  std::vector<int64_t> units;
  for (const int64_t& example : examples) {
    units.push_back(trained.Units(std::span(&example, 1)));
  }
  return SplitByUnits(units, parts);
}

std::span<const int64_t> Part(std::span<const int64_t> examples,
                              Interval part) {
  return examples.subspan(static_cast<size_t>(part.begin),
                          static_cast<size_t>(part.size()));
}

}  // namespace

Updater::Updater(Trainable& trained, const OptimizerConfig& config,
                 Optimizer& optimizer, Rng& rng, Processes& processes)
    : trained_(trained),
      config_(config),
      optimizer_(optimizer),
      rng_(rng),
      processes_(processes) {
  if (config.same_on_every_cpu) {
    if (trained.parameters().precision() == kernels::Precision::kBF16) {
      throw ConfigError(
          "products of bf16 have other bits on other processors: "
          "--same-on-every-cpu goes with --precision f32");
    }
    same_on_every_cpu_.emplace();
  }
  const int64_t shards = std::max(1, config.shards);
  if (shards == 1 && processes.alone()) return;
  sum_.emplace(trained.parameters(), processes, shards, config.wire);
}

UpdateResult Updater::Update(std::span<const std::vector<int64_t>> group,
                             int64_t step, int64_t last_step) {
  UpdateResult result;
  for (const auto& examples : group) result.units += trained_.Units(examples);
  if (sum_) {
    AddShards(group, result);
  } else {
    for (const auto& examples : group) {
      AddGradient(examples, result.units, rng_, nullptr, result);
    }
    result.interrupted = InterruptRequested();
  }
  if (!std::isfinite(result.loss)) {
    optimizer_.GradientNorm();  // names a parameter, if possible
    throw NumericError("the loss is not finite");
  }
  result.norm = optimizer_.Step(step, LearningRate(config_, step, last_step));
  return result;
}

void Updater::AddGradient(std::span<const int64_t> examples, int64_t units,
                          Rng& rng, const Tape::Ready& ready,
                          UpdateResult& result) {
  LossOptions options;
  options.smoothing = config_.label_smoothing;
  options.scale = 1.0 / static_cast<double>(std::max<int64_t>(1, units));
  std::vector<Interval> parts =
      Split(trained_, examples, trained_.Parts(examples));
  std::erase_if(parts, [](Interval part) { return part.size() == 0; });
  const std::vector<BatchLoss> losses = parts_.Differentiate(
      std::ssize(parts), rng,
      [&](const Context& ctx, int64_t part) {
        return trained_.Loss(ctx, Part(examples, At(parts, part)), options);
      },
      ready);
  for (const BatchLoss& loss : losses) {
    result.loss += loss.loss.value().item();
    result.nll += loss.nll;
    AddMetrics(result.parts, loss.parts);
  }
}

void Updater::AddShards(std::span<const std::vector<int64_t>> group,
                        UpdateResult& result) {
  std::vector<std::vector<Interval>> parts;
  for (const auto& batch : group) {
    parts.push_back(Split(trained_, batch, sum_->shards()));
  }
  // One random number per update, so that a run can resume at any step.
  const uint64_t key = rng_.Next();
  const Interval mine = sum_->mine();
  std::string seen;
  for (int64_t shard = mine.begin; shard < mine.end; ++shard) {
    const auto at = static_cast<size_t>(shard);
    size_t last = group.size();  // last batch with examples in this shard
    for (size_t i = 0; i < group.size(); ++i) {
      if (parts[i][at].size() > 0) last = i;
    }
    Rng rng(key + static_cast<uint64_t>(shard));
    UpdateResult own;
    for (size_t i = 0; i < group.size(); ++i) {
      const Interval part = parts[i][at];
      if (part.size() == 0) continue;
      // Sums gradients as soon as they are complete, while they are cached, and
      // lets them be sent.
      const Tape::Ready ready = [this](Parameter& p) { sum_->Ready(p); };
      AddGradient(Part(group[i], part), result.units, rng,
                  i == last ? ready : nullptr, own);
    }
    sum_->EndShard();
    AppendResult(own, seen);
  }
  if (processes_.alone()) {
    AddResults(seen, result);
    result.interrupted = InterruptRequested();
    sum_->Finish();
    return;
  }
  const char interrupted = InterruptRequested() ? 1 : 0;
  for (const std::string& one : processes_.Gather(interrupted + seen)) {
    result.interrupted |= one.front() != 0;
    AddResults(std::string_view(one).substr(1), result);
  }
  sum_->Finish();
}

}  // namespace heed
