#include "heed/models/image/glimpse_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/rng.h"
#include "heed/models/image_classifier_testing.h"
#include "heed/ops/elementwise.h"

namespace heed::glimpse_network_test {
namespace {

using testing::Contains;
using testing::Each;
using testing::Ge;

GlimpseConfig GoldenGlimpses(Move move) {
  GlimpseConfig config;
  config.looks = 3;
  config.glimpse = 2;
  config.scales = 2;
  config.move = move;
  config.deviation = 0.05;
  config.reinforce = 0.01;
  config.glimpse_units = 4;
  config.units = 6;
  config.cell = 2;
  return config;
}

std::vector<Tensor> GoldenPlaces(const GoldenTensors& golden) {
  std::vector<Tensor> places;
  for (int t = 0; t < 3; ++t) {
    places.push_back(golden.at("place." + std::to_string(t)));
  }
  return places;
}

TEST(GlimpseNetworkGolden, IsThatOfPyTorchForGivenPlaces) {
  for (const Move move : {Move::kJump, Move::kStep}) {
    const GoldenTensors golden(move == Move::kJump ? "ram_jump" : "ram_step");
    ParameterSet parameters(kNoSeed, DType::kF64, kernels::Precision::kNative);
    const GlimpseNetwork network(Scope(parameters, ""), GoldenGlimpses(move),
                                 kGoldenImages);
    golden.SetParameters(parameters);
    golden.ExpectSameParameters(parameters);
    const std::vector<Tensor> places = GoldenPlaces(golden);
    Tape tape;
    Context ctx;
    ctx.tape = &tape;
    const Var images = tape.Leaf(golden.at("images"));
    const GlimpseNetwork::Pass pass = network.Run(ctx, images, &places);
    EXPECT_LT(MaxDifference(pass.scores.value(), golden.at("scores")), 1e-10);
    const ImageLoss loss = network.LossOf(pass, golden.at("labels"), {});
    EXPECT_NEAR(loss.loss.value().item(), golden.at("loss").item(), 1e-9);
    tape.Backward(loss.loss);
    golden.ExpectGradients(parameters, 1e-9);
    EXPECT_LT(
        MaxDifference(tape.Gradient(images), golden.at("gradient_images")),
        1e-10);
  }
}

/// Maximum gradient of each parameter for the locations of the golden file.
std::map<std::string, double> LargestGradients(double reinforce,
                                               bool keep_baseline) {
  const GoldenTensors golden("ram_jump");
  ParameterSet parameters(kNoSeed, DType::kF64, kernels::Precision::kNative);
  GlimpseConfig config = GoldenGlimpses(Move::kJump);
  config.reinforce = reinforce;
  const GlimpseNetwork network(Scope(parameters, ""), config, kGoldenImages);
  golden.SetParameters(parameters);
  const std::vector<Tensor> places = GoldenPlaces(golden);
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  GlimpseNetwork::Pass pass = network.Run(ctx, golden.at("images"), &places);
  Var loss = network.LossOf(pass, golden.at("labels"), {}).loss;
  if (keep_baseline) loss = Sum(pass.baselines[0]);
  tape.Backward(loss);
  std::map<std::string, double> largest;
  for (const auto& parameter : parameters.all()) {
    double& value = largest[parameter->name()];
    if (!parameter->gradient().defined()) continue;
    for (const double g : parameter->gradient().ToVector<double>()) {
      value = std::max(value, std::abs(g));
    }
  }
  return largest;
}

TEST(GlimpseNetwork, OnlyRewardsReachThePolicy) {
  const auto with = LargestGradients(0.01, false);
  const auto without = LargestGradients(0, false);
  for (const char* name : {"locate.weight", "location.weight"}) {
    EXPECT_GT(with.at(name), 1e-6) << name;
    EXPECT_EQ(without.at(name), 0) << name;
  }
  // The policy's loss has no gradient for other parameters.
  for (const char* name : {"see.weight", "core.weight", "baseline.weight"}) {
    EXPECT_GT(with.at(name), 1e-6) << name;
    EXPECT_NEAR(with.at(name), without.at(name), 1e-12) << name;
  }
}

TEST(GlimpseNetwork, TheBaselineTeachesNothingButItself) {
  for (const auto& [name, value] : LargestGradients(0.01, true)) {
    if (name.starts_with("baseline.")) {
      EXPECT_GT(value, 0) << name;
    } else {
      EXPECT_EQ(value, 0) << name;
    }
  }
}

/// Dark images with a square of 4 × 4 at one of nine places; the class is its
/// bright half. At low resolution the square is visible but its bright half is
/// not, so the model must look there.
class PlantedSquares {
 public:
  static constexpr int64_t kSide = 24;
  static constexpr ImageUse kUse = {
      .height = kSide, .width = kSide, .channels = 1, .classes = 4};

  PlantedSquares(int64_t count, uint64_t seed)
      : images(Tensor::Zeros({count, kSide, kSide, 1}, DType::kF32)) {
    Rng rng(seed);
    for (int64_t b = 0; b < count; ++b) {
      labels.push_back(static_cast<int32_t>(rng.Below(4)));
      const auto place = static_cast<int64_t>(rng.Below(9));
      for (int64_t y = 0; y < 4; ++y) {
        for (int64_t x = 0; x < 4; ++x) {
          const int64_t row = place / 3 * 8 + 2 + y;
          const int64_t column = place % 3 * 8 + 2 + x;
          images.data<float>()[(b * kSide + row) * kSide + column] =
              PixelOf(labels.back(), x, y);
        }
      }
    }
  }
  Tensor Labels() const { return Tensor::Of(labels, {std::ssize(labels)}); }

  Tensor images;
  std::vector<int32_t> labels;

 private:
  static float PixelOf(int32_t side, int64_t x, int64_t y) {
    const bool bright[] = {x < 2, x >= 2, y < 2, y >= 2};
    return bright[side] ? 1 : 0;
  }
};

GlimpseConfig PlantedGlimpses(Look look) {
  GlimpseConfig config;
  config.looks = 3;
  config.glimpse = 4;
  config.scales = 4;
  config.look = look;
  config.reinforce = 1;
  config.deviation = 0.1;
  config.glimpse_units = 32;
  config.units = 64;
  config.cell = 4;
  return config;
}

void TrainPlanted(const GlimpseNetwork& network, const ParameterSet& parameters,
                  uint64_t steps) {
  TrainOnImages<PlantedSquares>(
      network, parameters, steps,
      [steps](uint64_t step) { return step * 3 < steps * 2 ? 2e-3 : 4e-4; });
}

/// Accuracy on new images of a network trained from `seed`.
double PlantedShare(Look look, uint64_t seed) {
  const PlantedSquares test(400, 999999);
  ParameterSet parameters(seed, DType::kF32, kernels::Precision::kNative);
  GlimpseConfig config = PlantedGlimpses(look);
  config.deviation = 0.15;
  GlimpseNetwork network(Scope(parameters, ""), config, PlantedSquares::kUse);
  TrainPlanted(network, parameters, 3500);
  return static_cast<double>(RightImages(network, test.images, test.labels)) /
         400;
}

TEST(GlimpseNetworkLearning, LooksWhereTheCueIs) {
  // Five of six training runs find all places of the cue and one all but one or
  // two; floating-point rounding decides which one.
  const std::vector<double> shares = {PlantedShare(Look::kLearned, 1),
                                      PlantedShare(Look::kLearned, 2),
                                      PlantedShare(Look::kLearned, 3)};
  EXPECT_THAT(shares, Each(Ge(0.7)));
  EXPECT_THAT(shares, Contains(Ge(0.95)));
  EXPECT_LE(PlantedShare(Look::kRandom, 1), 0.72);
}

/// Variance of the policy's gradient over draws of paths of the images.
double PolicyVariance(
    const ParameterSet& parameters,
    const std::function<Var(const Context& ctx)>& loss_of_draw) {
  std::vector<double> sums, squares;
  constexpr int kDraws = 200;
  for (int i = 0; i < kDraws; ++i) {
    Tape tape;
    Context ctx;
    ctx.tape = &tape;
    ctx.training = true;
    Rng rng(static_cast<uint64_t>(i));
    ctx.rng = &rng;
    tape.Backward(loss_of_draw(ctx));
    const std::vector<double> gradient =
        parameters.Find("location.weight")->gradient().ToVector<double>();
    sums.resize(gradient.size());
    squares.resize(gradient.size());
    for (size_t j = 0; j < gradient.size(); ++j) {
      sums[j] += gradient[j] / kDraws;
      squares[j] += gradient[j] * gradient[j] / kDraws;
    }
    for (const auto& parameter : parameters.all()) parameter->ClearGradient();
  }
  double total = 0;
  for (size_t j = 0; j < sums.size(); ++j) {
    total += squares[j] - sums[j] * sums[j];
  }
  return total;
}

TEST(GlimpseNetworkLearning, TheLearnedBaselineLowersTheVariance) {
  ParameterSet parameters(1, DType::kF32, kernels::Precision::kNative);
  GlimpseNetwork network(Scope(parameters, ""), PlantedGlimpses(Look::kLearned),
                         PlantedSquares::kUse);
  TrainPlanted(network, parameters, 100);
  const PlantedSquares batch(16, 7);
  const auto variance = [&](bool with) {
    return PolicyVariance(parameters, [&](const Context& ctx) {
      GlimpseNetwork::Pass pass = network.Run(ctx, batch.images);
      if (!with) {
        for (Var& b : pass.baselines) {
          b = Tensor::Zeros(b.shape(), DType::kF32);
        }
      }
      return network.LossOf(pass, batch.Labels(), {}).loss;
    });
  };
  EXPECT_LT(variance(true), 0.9 * variance(false));
}

TEST(GlimpseNetwork, MorePathsLowerTheVariance) {
  const PlantedSquares batch(16, 7);
  const auto variance = [&](int paths) {
    ParameterSet parameters(1, DType::kF32, kernels::Precision::kNative);
    GlimpseConfig config = PlantedGlimpses(Look::kLearned);
    config.paths = paths;
    const GlimpseNetwork network(Scope(parameters, ""), config,
                                 PlantedSquares::kUse);
    return PolicyVariance(parameters, [&](const Context& ctx) {
      return network.Loss(ctx, batch.images, batch.Labels(), {}).loss;
    });
  };
  // In expectation, an eighth.
  EXPECT_LT(variance(8), 0.2 * variance(1));
}

TEST(GlimpseNetwork, TheLossIsTheMeanOverPaths) {
  const PlantedSquares batch(16, 7);
  const auto loss_of = [&](int paths) {
    ParameterSet parameters(1, DType::kF32, kernels::Precision::kNative);
    // All paths are alike: they stay in the centre.
    GlimpseConfig config = PlantedGlimpses(Look::kCentre);
    config.paths = paths;
    const GlimpseNetwork network(Scope(parameters, ""), config,
                                 PlantedSquares::kUse);
    const ImageLoss loss = network.Loss({}, batch.images, batch.Labels(), {});
    return std::pair(loss.loss.value().item(), loss.nll);
  };
  EXPECT_GT(loss_of(1).first, 1);
  EXPECT_NEAR(loss_of(3).first, loss_of(1).first, 1e-4);
  EXPECT_NEAR(loss_of(3).second, loss_of(1).second, 1e-4);
}

TEST(GlimpseNetwork, StepsAreOfHalfAGlimpseAndStayInside) {
  ParameterSet parameters(2, DType::kF64, kernels::Precision::kNative);
  GlimpseConfig config = GoldenGlimpses(Move::kStep);
  config.looks = 8;
  const GlimpseNetwork network(Scope(parameters, ""), config, kGoldenImages);
  Rng rng(5);
  Tensor images({2, 6, 4, 2}, DType::kF64);
  for (int64_t i = 0; i < images.numel(); ++i) {
    images.data<double>()[i] = rng.Uniform();
  }
  Context ctx;
  ctx.training = true;
  ctx.rng = &rng;
  const auto pass = network.Run(ctx, images);
  ASSERT_EQ(pass.places.size(), 8u);
  for (size_t t = 0; t + 1 < pass.places.size(); ++t) {
    for (int64_t i = 0; i < 4; ++i) {
      const double from = pass.places[t].data<double>()[i];
      const double to = pass.places[t + 1].data<double>()[i];
      const double step = 2.0 / (i % 2 == 0 ? 4 : 6);
      EXPECT_LE(std::abs(to), 1);
      const double moved = std::abs(to - from) / step;
      EXPECT_TRUE(std::abs(to) == 1 ||
                  std::abs(moved - std::round(moved)) < 1e-9)
          << moved;
    }
  }
}

TEST(GlimpseNetwork, ShowsTheWindowsOfItsLooks) {
  ParameterSet parameters(2, DType::kF64, kernels::Precision::kNative);
  GlimpseConfig config = GoldenGlimpses(Move::kJump);
  config.look = Look::kCentre;
  const GlimpseNetwork network(Scope(parameters, ""), config, kGoldenImages);
  const auto looks =
      network.Looks({}, Var(Tensor::Zeros({1, 6, 4, 2}, DType::kF64)));
  ASSERT_EQ(looks.size(), 3u);
  for (const ImageLook& look : looks) {
    ASSERT_EQ(look.windows.size(), 2u);
    EXPECT_EQ(look.windows[0].left, 1);
    EXPECT_EQ(look.windows[0].top, 2);
    EXPECT_EQ(look.windows[0].side, 2);
    EXPECT_EQ(look.windows[1].left, 0);
    EXPECT_EQ(look.windows[1].top, 1);
    EXPECT_EQ(look.windows[1].side, 4);
  }
}

}  // namespace
}  // namespace heed::glimpse_network_test
