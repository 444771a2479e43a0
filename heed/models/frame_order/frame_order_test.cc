// Tests of every frame-order classifier.
#include "heed/models/frame_order/frame_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/models/image_classifier_testing.h"
#include "heed/models/roles_testing.h"

namespace heed::frame_order_test {
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
  ExpectOutlined(network->Outline());
  const Tensor labels = Tensor::Of<int32_t>(std::vector<int32_t>{1, 0}, {2});
  const Tensor strips = SomeStrips(2);
  ExpectLearns(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return network->Loss(ctx, strips, labels, {}).loss;
  });
  const Tensor both = network->Scores({}, strips).value();
  EXPECT_EQ(both.shape(), (Shape{2, 2}));
  // Scores of a strip are independent of other strips in the batch.
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

}  // namespace
}  // namespace heed::frame_order_test
