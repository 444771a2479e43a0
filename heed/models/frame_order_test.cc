// Every judge of the order of frames.
#include "heed/models/frame_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/models/image_classifier_testing.h"
#include "heed/models/roles_testing.h"

namespace heed {
namespace {

constexpr ImageUse kSmallStrips = {
    .height = 8, .width = 30, .channels = 2, .classes = 2};

Tensor SomeStrips(int64_t count, uint64_t seed = 1) {
  Tensor x({count, 8, 30, 2}, DType::kF64);
  Rng rng(seed);
  for (int64_t i = 0; i < x.numel(); ++i) x.data<double>()[i] = rng.Uniform();
  return x;
}

class EveryFrameOrder : public EveryRole {};

INSTANTIATE_TEST_SUITE_P(Registry, EveryFrameOrder,
                         testing::ValuesIn(VariantsIn<FrameOrderSettings>()),
                         NameOf);

TEST_P(EveryFrameOrder, JudgesStrips) {
  const auto settings = Small<FrameOrderSettings>();
  settings->Fill(kSmallStrips);
  ExpectFilled(*settings, [&] { settings->Fill(kSmallStrips); });
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const auto network = settings->Make(Scope(parameters, ""), kSmallStrips);
  const Tensor labels = Tensor::Of<int32_t>(std::vector<int32_t>{1, 0}, {2});
  const Tensor strips = SomeStrips(2);
  ExpectLearns(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return network->Loss(ctx, strips, labels, {}).loss;
  });
  const Tensor both = network->Scores({}, strips).value();
  EXPECT_EQ(both.shape(), (Shape{2, 2}));
  // A strip does not depend on its neighbours.
  EXPECT_LT(MaxDifference(network->Scores({}, strips.Slice(1, 2)).value(),
                          both.Slice(1, 2)),
            1e-12);
  EXPECT_THROW(network->Scores({}, strips.Slice(0, 1).Reshape({1, 30, 8, 2})),
               ShapeError);
}

TEST_P(EveryFrameOrder, RefusesWhatIsNoStrip) {
  EXPECT_EQ(MessageOf<ConfigError>([&] {
              Small<FrameOrderSettings>()->Fill({8, 31, 2, 2});
            }),
            "a strip of 31 × 8 pixels is no 3 frames side by side");
  EXPECT_NE(MessageOf<ConfigError>([&] {
              Small<FrameOrderSettings>()->Fill({7, 30, 2, 2});
            }).find("frames of 10 × 7 pixels are too small"),
            std::string::npos);
}

TEST(FramesOfStrips, AreTheFirstOnesThenTheSecondOnes) {
  const Tensor strips = SomeStrips(2);
  const Tensor frames = FramesOfStrips(strips).value();
  ASSERT_EQ(frames.shape(), (Shape{6, 8, 10, 2}));
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t y = 0; y < 8; ++y) {
        const double* from =
            strips.data<double>() + ((b * 8 + y) * 30 + i * 10) * 2;
        const double* own =
            frames.data<double>() + ((i * 2 + b) * 8 + y) * 10 * 2;
        EXPECT_TRUE(std::equal(own, own + 20, from));
      }
    }
  }
}

TEST(TripletGolden, IsThatOfPyTorch) {
  ParameterSet parameters(kNoSeed, DType::kF64, kernels::Precision::kNative);
  TripletConfig config;
  config.filters = 2;
  config.features = 3;
  config.units = 4;
  const ImageUse strips = {9, 51, 2, 2};
  config.Fill(strips);
  EXPECT_EQ(config.cell, 1);
  const TripletClassifier network(Scope(parameters, ""), config, strips);
  ExpectGolden(GoldenTensors("triplet"), parameters, network);
}

TEST(FrameTrunk, AUnitSeesItsField) {
  constexpr int64_t kFilters = 8;
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const FrameTrunk trunk(Scope(parameters, ""), 1, kFilters);
  Tensor frame({1, 40, 40, 1}, DType::kF64);
  Rng rng(2);
  for (int64_t i = 0; i < frame.numel(); ++i) {
    frame.data<double>()[i] = rng.Uniform();
  }
  const Tensor before = trunk.Activations({}, frame).value();
  constexpr int64_t kUnits = 4 * kFilters;
  ASSERT_EQ(before.shape(), (Shape{1, 10, 10, kUnits}));
  const ReceptiveField field = FrameTrunk::FieldOf(4, 5);
  // All pixels of the field and no others change units (4, 5).
  const auto changes = [&](int64_t top, int64_t left, int64_t bottom,
                           int64_t right) {
    Tensor other = frame.Clone();
    for (int64_t y = top; y < bottom; ++y) {
      for (int64_t x = left; x < right; ++x) {
        other.data<double>()[y * 40 + x] = 7 - 3 * rng.Uniform();
      }
    }
    const Tensor after = trunk.Activations({}, other).value();
    const int64_t at = (4 * 10 + 5) * kUnits;
    return !std::equal(after.data<double>() + at,
                       after.data<double>() + at + kUnits,
                       before.data<double>() + at);
  };
  const int64_t bottom = field.top + field.side;
  const int64_t right = field.left + field.side;
  EXPECT_TRUE(changes(field.top, field.left, field.top + 1, right));
  EXPECT_TRUE(changes(bottom - 1, field.left, bottom, right));
  EXPECT_TRUE(changes(field.top, field.left, bottom, field.left + 1));
  EXPECT_TRUE(changes(field.top, right - 1, bottom, right));
  EXPECT_FALSE(changes(0, 0, field.top, 40));
  EXPECT_FALSE(changes(bottom, 0, 40, 40));
  EXPECT_FALSE(changes(0, 0, 40, field.left));
  EXPECT_FALSE(changes(0, right, 40, 40));
}

}  // namespace
}  // namespace heed
