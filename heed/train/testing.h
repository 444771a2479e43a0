// A toy objective that trains in milliseconds.
#ifndef HEED_TRAIN_TESTING_H_
#define HEED_TRAIN_TESTING_H_

#include <cmath>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/rng.h"
#include "heed/data/shuffle.h"
#include "heed/io/file.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/matmul.h"
#include "heed/ops/reinforce.h"
#include "heed/train/model_folder.h"
#include "heed/train/trainer.h"

namespace heed {

/// Points of a plane with the class of each, one of three sectors.
struct ToyPoints {
  std::vector<float> coordinates;  // x and y of each
  std::vector<int32_t> sectors;

  int64_t size() const { return static_cast<int64_t>(sectors.size()); }
};

/// Random points on the unit circle, away from the borders of the sectors.
inline ToyPoints RandomPoints(int64_t count, uint64_t seed) {
  constexpr double kSector = 2 * std::numbers::pi / 3;
  Rng rng(seed);
  ToyPoints points;
  for (int64_t i = 0; i < count; ++i) {
    const auto sector = static_cast<int32_t>(rng.Below(3));
    const double angle = kSector * (sector + rng.Uniform(0.1, 0.9));
    points.coordinates.push_back(static_cast<float>(std::cos(angle)));
    points.coordinates.push_back(static_cast<float>(std::sin(angle)));
    points.sectors.push_back(sector);
  }
  return points;
}

struct ToyOptions {
  int64_t features = 8;
  double dropout = 0.1;  // of the features
  int64_t batch = 16;    // points
};

/// Minimises the cross-entropy of logits = dropout(p W + b) V + c.
/// Shapes: p [N, 1, 2], W [2, features], V [features, 3].
class Toy : public Trainable {
 public:
  Toy(ToyPoints train, ToyPoints valid, const ToyOptions& options = {},
      uint64_t seed = 1)
      : train_(std::move(train)),
        valid_(std::move(valid)),
        options_(options),
        parameters_(seed, DType::kF32, {}) {
    const int64_t features = options.features;
    parameters_.Add("encoder.weight", {2, features}, {}, ParameterUse::kMatrix);
    parameters_.Add("encoder.bias", {features}, kZeroInit);
    parameters_.Add("output.weight", {features, 3}, {}, ParameterUse::kMatrix);
    parameters_.Add("output.bias", {3}, kZeroInit);
  }

  ParameterSet& parameters() override { return parameters_; }
  std::string unit() const override { return "points"; }
  std::string Summary() const override {
    return std::to_string(train_.size()) + " points";
  }
  std::string Checksum() const override {
    std::string bytes;
    for (const ToyPoints* points : {&train_, &valid_}) {
      for (const float x : points->coordinates) bytes += std::to_string(x);
      for (const int32_t sector : points->sectors) {
        bytes += std::to_string(sector);
      }
    }
    return std::to_string(Crc32(bytes));
  }

  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return ShuffledBatches(train_.size(), options_.batch, seed, epoch);
  }
  int64_t Units(std::span<const int64_t> examples) const override {
    return static_cast<int64_t>(examples.size());
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override {
    CrossEntropyOptions entropy;
    entropy.scale = options.scale;
    entropy.smoothing = options.smoothing;
    CrossEntropyLoss loss = CrossEntropy(Logits(ctx, train_, examples),
                                         Sectors(train_, examples), entropy);
    return {std::move(loss.loss), options.scale * loss.nll};
  }

  std::vector<MeasureInfo> Measures() const override {
    return {{"loss", false}, {"accuracy", true}};
  }
  bool has_valid() const override { return valid_.size() > 0; }
  Metrics Validate(const std::string& /*measure*/) const override {
    std::vector<int64_t> all(valid_.sectors.size());
    std::iota(all.begin(), all.end(), int64_t{0});
    const CrossEntropyLoss loss =
        CrossEntropy(Logits({}, valid_, all), Sectors(valid_, all), {});
    const auto count = static_cast<double>(valid_.size());
    return {{"loss", loss.nll / count},
            {"accuracy", static_cast<double>(loss.correct) / count}};
  }

 protected:
  /// Shapes: result [N, 1, 3].
  Var Logits(const Context& ctx, const ToyPoints& points,
             std::span<const int64_t> examples) const {
    std::vector<float> chosen;
    for (const int64_t i : examples) {
      const auto at = static_cast<size_t>(2 * i);
      chosen.push_back(points.coordinates[at]);
      chosen.push_back(points.coordinates[at + 1]);
    }
    const auto count = static_cast<int64_t>(examples.size());
    const auto use = [&](const char* name) {
      return ctx.Use(*parameters_.Find(name));
    };
    const Var features = Affine(Tensor::Of(chosen, {count, 1, 2}),
                                use("encoder.weight"), use("encoder.bias"));
    return Affine(Dropout(ctx, features, options_.dropout),
                  use("output.weight"), use("output.bias"));
  }
  /// Shapes: result [N, 1].
  static Tensor Sectors(const ToyPoints& points,
                        std::span<const int64_t> examples) {
    std::vector<int32_t> chosen;
    for (const int64_t i : examples) {
      chosen.push_back(At(points.sectors, i));
    }
    return Tensor::Of(chosen, {static_cast<int64_t>(examples.size()), 1});
  }
  const ToyPoints& train() const { return train_; }

 private:
  ToyPoints train_;
  ToyPoints valid_;
  ToyOptions options_;
  ParameterSet parameters_;
};

/// Learns the sectors by REINFORCE from sampled guesses: reward 1 for the right
/// sector, minus a moving baseline, which is state of the objective.
class ToyOfRewards : public Toy {
 public:
  using Toy::Toy;

  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override {
    const Var log_probabilities = LogSoftmax(Logits(ctx, train(), examples));
    const Tensor sectors = Sectors(train(), examples);
    const auto values = log_probabilities.value().ToVector<double>();
    std::vector<int32_t> guesses;
    std::vector<float> rewards;
    double sum = 0;
    for (size_t i = 0; i < examples.size(); ++i) {
      double left = ctx.rng->Uniform();
      int32_t guess = 0;
      while (guess < 2 && (left -= std::exp(values[3 * i + guess])) > 0) {
        ++guess;
      }
      guesses.push_back(guess);
      rewards.push_back(guess == sectors.data<int32_t>()[i] ? 1 : 0);
      sum += rewards.back();
    }
    const Shape shape = sectors.shape();
    const Var loss = ReinforceLoss(
        Pick(log_probabilities, Tensor::Of(guesses, shape)),
        Tensor::Zeros(shape), Tensor::Of(rewards, {shape[0]}), baseline(), {});
    return {Scale(loss, options.scale), 0, {{"reward", options.scale * sum}}};
  }

  double baseline() const { return baseline_.value(); }
  void Updated(const Metrics& parts) override {
    baseline_.Update(parts.front().second);
  }
  std::vector<NamedTensor> State() const override {
    return {{"baseline", Tensor::Full({1}, baseline(), DType::kF64)}};
  }
  void Restore(const std::vector<NamedTensor>& state) override {
    baseline_ = MovingBaseline(kDecay, state.front().value.item());
  }

 private:
  static constexpr double kDecay = 0.9;
  MovingBaseline baseline_{kDecay};
};

/// A run of twelve steps on 96 points.
inline TrainingConfig ToyTraining(const std::string& out) {
  TrainingConfig config;
  config.optimizer.learning_rate = 0.05;
  config.run.out = out;
  config.run.epochs = 2;
  config.run.patience = 0;
  config.run.quiet = true;
  return config;
}

/// File in the folder of a toy besides its weights.
inline constexpr const char* kToyFile = "sectors.txt";
inline ModelDescription ToyDescription() {
  return {{{"features", 8}}, {{kToyFile, "east\nwest\nsouth\n"}}};
}

/// Trains a new toy and writes a complete model folder.
inline TrainResult TrainToy(
    Trainable& toy, TrainingConfig config,
    const ModelDescription& description = ToyDescription()) {
  config.Resolve();
  OutFolder out(config.run);
  WriteModelConfig(out.path(), description);
  return RunTraining(toy, config, out);
}

/// Resumes the run of config.run.out.
inline TrainResult ResumeToy(Trainable& toy, TrainingConfig config) {
  config.Resolve();
  OutFolder out(config.run.out);
  return ResumeTraining(toy, config, out);
}

}  // namespace heed

#endif  // HEED_TRAIN_TESTING_H_
