#include "heed/models/image/foveal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/rng.h"
#include "heed/models/image/looks.h"
#include "heed/models/image_classifier_testing.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"

namespace heed::foveal_test {
namespace {

constexpr ImageUse kSmall = {
    .height = 6, .width = 6, .channels = 1, .classes = 3};

FovealConfig SmallFoveal(int hidden) {
  FovealConfig config;
  config.fixations = 3;
  config.fovea = 2;
  config.grid = 2;
  config.factors = 4;
  config.hidden = hidden;
  config.cell = 2;
  config.generative = 0.5;
  return config;
}

/// Machine with weights large enough to have an effect.
struct Made {
  explicit Made(const FovealConfig& config, const ImageUse& use = kSmall,
                uint64_t seed = 3)
      : parameters(seed, DType::kF64, kernels::Precision::kNative),
        machine(Scope(parameters, ""), config, use) {
    Rng rng(seed);
    for (const auto& parameter : parameters.all()) {
      Tensor& value = parameter->mutable_value();
      for (int64_t i = 0; i < value.numel(); ++i) {
        value.data<double>()[i] = rng.Uniform(-0.9, 0.9);
      }
      parameter->Changed();
    }
  }
  const double* Of(const char* name) const {
    return parameters.Find(name)->value().data<double>();
  }

  ParameterSet parameters;
  FovealMachine machine;
};

Tensor SomePixels(const Shape& shape, uint64_t seed) {
  Rng rng(seed);
  Tensor x(shape, DType::kF64);
  for (int64_t i = 0; i < x.numel(); ++i) x.data<double>()[i] = rng.Uniform();
  return x;
}

/// −E(y, x, h) without Σ b x, given A = sums.
double Agreement(const Made& made, const double* sums, int64_t y, int64_t h,
                 int64_t hidden) {
  double value = made.Of("classes.bias")[y];
  const double* u = made.Of("classes.weight") + y * hidden;
  for (int64_t j = 0; j < hidden; ++j) {
    if ((h >> j) & 1) value += sums[j] + u[j];
  }
  return value;
}

TEST(Foveal, ClassesAreThoseOfASumOverAllHiddenUnits) {
  constexpr int64_t kHidden = 8;
  const Made made(SmallFoveal(kHidden));
  const Tensor sums = SomePixels({2, kHidden}, 9);
  const Tensor log_p =
      LogSoftmax(made.machine.ClassScores({}, Var(sums))).value();
  for (int64_t b = 0; b < 2; ++b) {
    double all = 0;
    std::vector<double> of_class(3);
    for (int64_t y = 0; y < 3; ++y) {
      for (int64_t h = 0; h < (1 << kHidden); ++h) {
        At(of_class, y) +=
            std::exp(Agreement(made, sums.row<double>(b), y, h, kHidden));
      }
      all += At(of_class, y);
    }
    for (int64_t y = 0; y < 3; ++y) {
      EXPECT_NEAR(log_p.row<double>(b)[y], std::log(At(of_class, y) / all),
                  1e-12);
    }
  }
}

TEST(Foveal, TheMeanOfHiddenUnitsIsThatOfAllTheirStates) {
  constexpr int64_t kHidden = 5;
  const Made made(SmallFoveal(kHidden));
  const Tensor sums = SomePixels({1, kHidden}, 4);
  std::vector<double> mean(kHidden);
  double all = 0;
  for (int64_t y = 0; y < 3; ++y) {
    for (int64_t h = 0; h < (1 << kHidden); ++h) {
      const double weight =
          std::exp(Agreement(made, sums.row<double>(0), y, h, kHidden));
      all += weight;
      for (int64_t j = 0; j < kHidden; ++j) {
        if ((h >> j) & 1) At(mean, j) += weight;
      }
    }
  }
  const Tensor own = made.machine.MeanHidden(sums);
  for (int64_t j = 0; j < kHidden; ++j) {
    EXPECT_NEAR(own.row<double>(0)[j], At(mean, j) / all, 1e-12);
  }
}

TEST(Foveal, TheFreeEnergyIsThatOfASumOverAllHiddenUnits) {
  constexpr int64_t kHidden = 6;
  const Made made(SmallFoveal(kHidden));
  const Tensor x = SomePixels({1, made.machine.retina()}, 5);
  const Tensor before = SomePixels({1, kHidden}, 6);
  const Tensor place = Tensor::Of<int32_t>({3}, {1});
  const Tensor label = Tensor::Of<int32_t>({1}, {1});
  const Tensor sums =
      Add(Var(before), made.machine.Contribution({}, Var(x), place)).value();
  double total = 0;
  for (int64_t h = 0; h < (1 << kHidden); ++h) {
    total += std::exp(Agreement(made, sums.row<double>(0), 1, h, kHidden));
  }
  double pixels = 0;
  for (int64_t i = 0; i < x.numel(); ++i) {
    pixels += made.Of("pixels.bias")[i] * x.data<double>()[i];
  }
  EXPECT_NEAR(made.machine.FreeEnergy({}, Var(before), Var(x), place, label)
                  .value()
                  .item(),
              -pixels - std::log(total), 1e-10);
}

TEST(Foveal, ContributionsAreThoseOfThirdOrderWeights) {
  const Made made(SmallFoveal(5));
  const int64_t R = made.machine.retina();
  const Tensor x = SomePixels({1, R}, 5);
  const Tensor own =
      made.machine.Contribution({}, Var(x), Tensor::Of<int32_t>({2}, {1}))
          .value();
  for (int64_t j = 0; j < 5; ++j) {
    double sum = 0;
    for (int64_t f = 0; f < 4; ++f) {
      for (int64_t r = 0; r < R; ++r) {
        sum += made.Of("pooling.weight")[f * 5 + j] *
               made.Of("places.weight")[2 * 4 + f] *
               made.Of("filters.weight")[r * 4 + f] * x.data<double>()[r];
      }
    }
    EXPECT_NEAR(own.row<double>(0)[j], sum, 1e-12);
  }
}

TEST(Foveal, GradientsAreThoseOfDifferences) {
  Made made(SmallFoveal(5));
  const Tensor x = SomePixels({2, made.machine.retina()}, 5);
  const Tensor other = SomePixels({2, made.machine.retina()}, 7);
  const Tensor before = SomePixels({2, 5}, 6);
  const Tensor place = Tensor::Of<int32_t>({3, 0}, {2});
  const Tensor labels = Tensor::Of<int32_t>({1, 2}, {2});
  const Tensor others = Tensor::Of<int32_t>({0, 2}, {2});
  // −log p(y | x) and the difference of free energies for given phases.
  const auto loss = [&](const Context& ctx) {
    const Var sums =
        Add(Var(before), made.machine.Contribution(ctx, Var(x), place));
    const Var own =
        Sum(Pick(LogSoftmax(made.machine.ClassScores(ctx, sums)), labels));
    const Var difference = Sub(
        made.machine.FreeEnergy(ctx, Var(before), Var(x), place, labels),
        made.machine.FreeEnergy(ctx, Var(before), Var(other), place, others));
    return Sub(Sum(difference), own);
  };
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  tape.Backward(loss(ctx));
  for (const auto& parameter : made.parameters.all()) {
    if (!parameter->gradient().defined()) continue;
    const std::vector<double> own = parameter->gradient().ToVector<double>();
    for (size_t i = 0; i < own.size(); ++i) {
      double& number = parameter->mutable_value().data<double>()[i];
      const double value = number;
      const auto at = [&](double moved) {
        number = moved;
        parameter->Changed();
        return loss({}).value().item();
      };
      const double slope = (at(value + 1e-5) - at(value - 1e-5)) / 2e-5;
      at(value);
      EXPECT_NEAR(own[i], slope, 1e-7) << parameter->name() << " " << i;
    }
  }
}

TEST(FovealGolden, IsThatOfPyTorchForGivenPlacesAndNegativePhases) {
  const GoldenTensors golden("foveal");
  FovealConfig config;
  config.fixations = 3;
  config.fovea = 4;
  config.grid = 3;
  config.factors = 5;
  config.hidden = 6;
  config.generative = 0.3;
  config.cell = 2;
  ParameterSet parameters(kNoSeed, DType::kF64, kernels::Precision::kNative);
  const FovealMachine machine(Scope(parameters, ""), config, kGoldenImages);
  golden.SetParameters(parameters);
  golden.ExpectSameParameters(parameters);
  const Tensor& labels = golden.at("labels");
  std::vector<FovealMachine::Drawn> given;
  for (int k = 0; k < config.fixations; ++k) {
    const std::string number = "." + std::to_string(k);
    given.push_back({golden.at("place" + number),
                     {golden.at("negative_x" + number),
                      golden.at("negative_class" + number)}});
  }

  const Var seen(golden.at("images"));
  Var sums = machine.Start({}, labels.numel());
  for (int k = 0; k < config.fixations; ++k) {
    SCOPED_TRACE("fixation " + std::to_string(k));
    const std::string number = "." + std::to_string(k);
    const auto& given_here = At(given, k);
    const Tensor& place = given_here.place;
    const auto& negative = given_here.negative;
    const Var x = machine.Retina(seen, place);
    const auto free_energy = [&](const Var& pixels, const Tensor& classes) {
      return machine.FreeEnergy({}, sums, pixels, place, classes).value();
    };
    EXPECT_LT(MaxDifference(free_energy(x, labels),
                            golden.at("positive_energy" + number)),
              1e-10);
    EXPECT_LT(MaxDifference(free_energy(Var(negative.x), negative.classes),
                            golden.at("negative_energy" + number)),
              1e-10);
    sums = Add(sums, machine.Contribution({}, x, place));
    EXPECT_LT(MaxDifference(LogSoftmax(machine.ClassScores({}, sums)).value(),
                            golden.at("log_p" + number)),
              1e-10);
    EXPECT_LT(MaxDifference(machine.MeanHidden(sums.value()),
                            golden.at("mean_hidden" + number)),
              1e-10);
  }

  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  const Var images = tape.Leaf(golden.at("images"));
  const ImageLoss loss =
      machine.LossOf(ctx, images, labels, {.scale = 0.5}, &given);
  EXPECT_NEAR(loss.loss.value().item(), golden.at("loss").item(), 1e-10);
  EXPECT_NEAR(loss.nll, golden.at("nll").item(), 1e-10);
  tape.Backward(loss.loss);
  golden.ExpectGradients(parameters, 1e-10);
  EXPECT_LT(MaxDifference(tape.Gradient(images), golden.at("gradient_images")),
            1e-10);
}

TEST(Foveal, TheOrderOfFixationsDoesNotMatter) {
  const Made made(SmallFoveal(5));
  const Tensor images = SomePixels({1, 6, 6, 1}, 2);
  const auto sums = [&](std::vector<int32_t> order) {
    Var a = made.machine.Start({}, 1);
    for (const int32_t l : order) {
      const Tensor place = Tensor::Of<int32_t>({l}, {1});
      const Var x = made.machine.Retina(Var(images), place);
      a = Add(a, made.machine.Contribution({}, x, place));
    }
    return a.value();
  };
  EXPECT_LT(MaxDifference(sums({0, 1, 3}), sums({3, 0, 1})), 1e-12);
  EXPECT_GT(MaxDifference(sums({0, 1, 3}), sums({0, 1, 2})), 1e-3);
}

TEST(Foveal, AGibbsStepHasTheMarginalsOfTheModel) {
  constexpr int64_t kHidden = 6;
  constexpr int64_t kDraws = 100000;
  const Made made(SmallFoveal(kHidden));
  const int64_t R = made.machine.retina();
  const Tensor x = SomePixels({1, R}, 5);
  const Tensor before = SomePixels({1, kHidden}, 6);
  const Tensor place = Tensor::Of<int32_t>({3}, {1});
  const Tensor sums =
      Add(Add(Var(before), made.machine.Contribution({}, Var(x), place)),
          Var(made.parameters.Find("classes.weight")->value().Slice(1, 2)))
          .value();
  // Sum over all states of the hidden units.
  std::vector<double> pixels(static_cast<size_t>(R)), classes(3);
  for (int64_t h = 0; h < (1 << kHidden); ++h) {
    double p = 1;
    std::vector<double> factors(4);
    for (int64_t j = 0; j < kHidden; ++j) {
      const double on = 1 / (1 + std::exp(-sums.row<double>(0)[j]));
      const bool is_on = ((h >> j) & 1) != 0;
      p *= is_on ? on : 1 - on;
      for (size_t f = 0; f < 4 && is_on; ++f) {
        factors[f] +=
            made.Of("pooling.weight")[static_cast<int64_t>(f) * kHidden + j];
      }
    }
    for (int64_t r = 0; r < R; ++r) {
      double z = made.Of("pixels.bias")[r];
      for (int64_t f = 0; f < 4; ++f) {
        z += made.Of("filters.weight")[r * 4 + f] *
             made.Of("places.weight")[3 * 4 + f] * At(factors, f);
      }
      At(pixels, r) += p / (1 + std::exp(-z));
    }
    std::vector<double> weights;
    double all = 0;
    for (int64_t y = 0; y < 3; ++y) {
      double score = made.Of("classes.bias")[y];
      for (int64_t j = 0; j < kHidden; ++j) {
        if ((h >> j) & 1) score += made.Of("classes.weight")[y * kHidden + j];
      }
      weights.push_back(std::exp(score));
      all += weights.back();
    }
    for (size_t y = 0; y < 3; ++y) classes[y] += p * weights[y] / all;
  }
  // Many rows, each sampled independently.
  Tensor many_x({kDraws, R}, DType::kF64), many({kDraws, kHidden}, DType::kF64);
  for (int64_t b = 0; b < kDraws; ++b) {
    std::copy_n(x.data<double>(), R, many_x.row<double>(b));
    std::copy_n(before.data<double>(), kHidden, many.row<double>(b));
  }
  const auto drawn = made.machine.GibbsStep(
      many, many_x, Tensor::Full({kDraws}, 3, DType::kI32),
      Tensor::Full({kDraws}, 1, DType::kI32), 8);
  for (int64_t r = 0; r < R; ++r) {
    double mean = 0;
    for (int64_t b = 0; b < kDraws; ++b) mean += drawn.x.row<double>(b)[r];
    mean /= kDraws;
    EXPECT_NEAR(mean, At(pixels, r), 3 * 0.5 / std::sqrt(kDraws));
  }
  for (int32_t y = 0; y < 3; ++y) {
    double share = 0;
    for (int64_t b = 0; b < kDraws; ++b) {
      share += drawn.classes.data<int32_t>()[b] == y ? 1.0 / kDraws : 0;
    }
    const double p = At(classes, y);
    EXPECT_NEAR(share, p, 3.5 * std::sqrt(p * (1 - p) / kDraws));
  }
}

TEST(Foveal, NoPlaceIsVisitedTwice) {
  for (const FixationOrder order :
       {FixationOrder::kLearned, FixationOrder::kRandom,
        FixationOrder::kRaster}) {
    FovealConfig config = SmallFoveal(5);
    config.fixations = 4;
    config.order = order;
    const Made made(config);
    const auto looks = made.machine.Looks({}, Var(SomePixels({1, 6, 6, 1}, 2)));
    ASSERT_EQ(looks.size(), 4u);
    std::map<std::pair<int64_t, int64_t>, int> places;
    for (const ImageLook& look : looks) {
      ASSERT_EQ(look.windows.size(), 2u);
      EXPECT_EQ(look.windows[0].side, 2);
      EXPECT_EQ(look.windows[1].side, 4);
      ++places[{look.windows[0].left, look.windows[0].top}];
    }
    EXPECT_EQ(places.size(), 4u) << static_cast<int>(order);
  }
}

/// Dark images with squares at four corners, one half of each being bright. In
/// half of the images the class is that of a square in the middle. In the
/// others a hint in the middle tells by its side which corner has the class.
class HintedSquares {
 public:
  static constexpr int64_t kSide = 20;
  static constexpr ImageUse kUse = {
      .height = kSide, .width = kSide, .channels = 1, .classes = 2};

  HintedSquares(int64_t count, uint64_t seed)
      : images(Tensor::Zeros({count, kSide, kSide, 1}, DType::kF32)) {
    Rng rng(seed);
    for (int64_t b = 0; b < count; ++b) {
      labels.push_back(static_cast<int32_t>(rng.Below(2)));
      const auto place = static_cast<int64_t>(rng.Below(4));
      for (int64_t p = 0; p < 4; ++p) {
        const bool upper = p == place ? labels.back() == 1 : rng.Below(2) == 1;
        for (int64_t i = 0; i < 16; ++i) {
          const bool bright = (i / 4 < 2) == upper;
          Pixel(b, p / 2 * 16 + i / 4, p % 2 * 16 + i % 4) = bright ? 1 : 0.2F;
        }
      }
      if (rng.Below(2) == 1) {
        for (int64_t i = 0; i < 4; ++i) {
          Pixel(b, 8 + place / 2 * 2 + i / 2, 8 + place % 2 * 2 + i % 2) = 1;
        }
      } else {
        for (int64_t i = 0; i < 8; ++i) {
          Pixel(b, 8 + i / 4 + (labels.back() == 1 ? 0 : 2), 8 + i % 4) = 1;
        }
      }
    }
  }
  Tensor Labels() const { return Tensor::Of(labels, {std::ssize(labels)}); }

  Tensor images;
  std::vector<int32_t> labels;

 private:
  float& Pixel(int64_t b, int64_t y, int64_t x) {
    return images.data<float>()[(b * kSide + y) * kSide + x];
  }
};

TEST(FovealLearning, LooksWhereAHintSays) {
  const HintedSquares test(400, 999999);
  double share[2] = {};
  for (const FixationOrder order :
       {FixationOrder::kLearned, FixationOrder::kRandom}) {
    FovealConfig config;
    config.fixations = 2;
    config.fovea = 4;
    config.grid = 3;
    config.factors = 40;
    config.hidden = 60;
    config.order = order;
    config.cell = 4;
    config.temperature = 0.1;
    ParameterSet parameters(1, DType::kF32, kernels::Precision::kNative);
    const FovealMachine machine(Scope(parameters, ""), config,
                                HintedSquares::kUse);
    TrainOnImages<HintedSquares>(machine, parameters, 1500,
                                 [](uint64_t) { return 2e-3; });
    At(share, order) =
        static_cast<double>(RightImages(machine, test.images, test.labels)) /
        400;
  }
  EXPECT_GE(share[0], 0.95);
  EXPECT_LE(share[1], 0.75);
}

}  // namespace
}  // namespace heed::foveal_test
