#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "course/preference_picture.h"
#include "course/preferred_patches.h"
#include "course/sprite_classifier.h"
#include "heed/render/png.h"
#include "heed/train/in_memory.h"

namespace heed {
namespace {

/// A trunk of one filter whose units all sum up the light.
class LightTrunk {
 public:
  LightTrunk()
      : parameters_(1, DType::kF32, kernels::Precision::kNative),
        trunk(Scope(parameters_, ""), 1, {1, 2, 4}) {
    for (const auto& parameter : parameters_.all()) {
      if (parameter->value().rank() != 4) continue;
      parameter->mutable_value() =
          Tensor::Full(parameter->value().shape(), 0.1, DType::kF32);
      parameter->Changed();
    }
  }

 private:
  ParameterSet parameters_;

 public:
  const ConvolutionStack trunk;
};

/// Dark frames of 32 × 32 with a light square of 4 × 4.
struct SquareFrames {
  Images frames;
  std::vector<SpriteBox> boxes;

  void Add(int64_t top, int64_t left, uint8_t light) {
    frames.format = {32, 32, 1};
    for (int64_t i = 0; i < 32 * 32; ++i) {
      const int64_t y = i / 32 - top, x = i % 32 - left;
      frames.pixels.push_back(y >= 0 && y < 4 && x >= 0 && x < 4 ? light : 0);
    }
    boxes.push_back({left, top, left + 4, top + 4});
  }
};

TEST(PreferredPatches, AreWhereUnitsAreMostActive) {
  const LightTrunk light;
  SquareFrames set;
  set.Add(12, 14, 100);
  set.Add(20, 6, 250);
  set.Add(4, 20, 180);
  const Preferences found = FindPreferences(light.trunk, set.frames, set.boxes,
                                            {.units = 3, .patches = 2});
  ASSERT_EQ(found.units.size(), 3u);
  for (const PreferringUnit& unit : found.units) {
    ASSERT_EQ(unit.patches.size(), 2u);
    EXPECT_EQ(unit.patches[0].frame, 1) << "the lightest";
    EXPECT_EQ(unit.patches[1].frame, 2);
    EXPECT_GT(unit.patches[0].activation, unit.patches[1].activation);
    EXPECT_TRUE(unit.patches[0].touches);
  }
  EXPECT_EQ(found.touching, 1);
  EXPECT_GT(found.focus, 2);
  EXPECT_EQ(found.columns, 8);
  ASSERT_EQ(found.maps.size(), 3u);
  EXPECT_EQ(found.maps[0].size(), 64u);
  // Number of fields of 18 pixels, starting at −7 with stride 4, that overlap
  // columns or rows [begin, begin + 4).
  const auto meeting = [](int64_t begin) {
    int64_t count = 0;
    for (int64_t i = 0; i < 8; ++i) {
      count += 4 * i - 7 < begin + 4 && begin < 4 * i + 11 ? 1 : 0;
    }
    return count;
  };
  EXPECT_DOUBLE_EQ(found.chance,
                   (meeting(12) * meeting(14) + meeting(20) * meeting(6) +
                    meeting(4) * meeting(20)) /
                       (3 * 64.0));
  // Boxes away from the light square.
  for (SpriteBox& box : set.boxes) box = {28, 28, 32, 32};
  const Preferences away = FindPreferences(light.trunk, set.frames, set.boxes,
                                           {.units = 3, .patches = 2});
  EXPECT_EQ(away.touching, 0);
  EXPECT_LT(away.focus, 1);
}

TEST(PreferredPatches, AreGreyBeyondTheFrame) {
  Image frame = {8, 8, 1, std::vector<uint8_t>(64, 10)};
  const Image patch = PatchOf(frame, LightTrunk().trunk.FieldOf(0, 1));
  EXPECT_EQ(patch.width, 18);
  EXPECT_EQ(patch.At(7, 3)[0], 10);
  EXPECT_EQ(patch.At(6, 3)[0], 128);
  EXPECT_EQ(patch.At(7, 2)[0], 128);
  EXPECT_EQ(patch.At(15, 3)[0], 128);
}

TEST(PreferredPatches, AreDrawn) {
  const LightTrunk light;
  SquareFrames set;
  for (int64_t i = 0; i < 5; ++i) set.Add(5 + i, 9 + 2 * i, 200);
  const NamedPreferences weights = {
      "Light", "Trained: light", "what is light",
      FindPreferences(light.trunk, set.frames, set.boxes, {})};
  const Drawing drawing = DrawPreferences(weights, set.frames);
  EXPECT_LT(3 * drawing.width + 2 * kPictureGap, kPictureWidth)
      << "three stand side by side";
  const std::string svg =
      SvgPicture(std::vector{drawing}, {.label = "preferred"});
  EXPECT_NE(svg.find("the sprite"), std::string::npos);
  EXPECT_NE(svg.find("Trained: light"), std::string::npos);
  EXPECT_NE(svg.find("from the median of the frame to its largest"),
            std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_TRUE(SvgToPng(svg).starts_with("\x89PNG"));
  const std::string text =
      PreferencesText(weights, set.frames, {.colour = false, .width = 60});
  EXPECT_TRUE(text.starts_with("Light\n  what is light\n"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 2 + 9) << "two pixels a line";
}

TEST(SpriteClassifier, LearnsWhichSpriteItIs) {
  const MovingSprites train =
      DrawMovingSprites({.clips = 60, .side = 24, .seed = 1});
  SpriteClassifier model({.filters = 4, .units = 16}, 1, 1);
  int validations = 0;
  SpriteObjective objective(model, train, train, 20,
                            [&](double) { ++validations; });
  const auto plan = objective.PlanEpoch(1, 0).All();
  std::vector<int64_t> seen(60);
  for (const auto& batch : plan) {
    for (const int64_t frame : batch) ++seen.at(static_cast<size_t>(frame / 5));
  }
  EXPECT_EQ(seen, std::vector<int64_t>(60, kTupleFrames));
  TrainingConfig training;
  training.optimizer.learning_rate = 5e-3;
  training.optimizer.warmup = 5;
  training.run.epochs = 12;
  training.run.patience = 0;
  const double before = SpriteAccuracy(model, train);
  TrainInMemory(objective, training);
  EXPECT_EQ(validations, 12);
  EXPECT_GT(SpriteAccuracy(model, train), before + 25);
}

}  // namespace
}  // namespace heed
