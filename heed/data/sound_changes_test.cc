#include "heed/data/sound_changes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "heed/base/at.h"

namespace heed {
namespace {

TEST(SoundChanges, ASpeedChangesLengthAndPitchAlike) {
  constexpr int kRate = 8000;
  std::vector<float> tone(kRate);
  for (size_t t = 0; t < tone.size(); ++t) {
    tone[t] = static_cast<float>(
        std::sin(2 * std::numbers::pi * 200 * static_cast<double>(t) / kRate));
  }
  Rng rng(3);
  bool faster = false, slower = false;
  for (int draw = 0; draw < 20; ++draw) {
    const std::vector<float> changed = AtAnotherSpeed(tone, 0.1, rng);
    const auto length = static_cast<double>(changed.size());
    EXPECT_GE(length, kRate / 1.1 - 1);
    EXPECT_LE(length, kRate / 0.9 + 1);
    int crossings = 0;
    for (size_t t = 1; t < changed.size(); ++t) {
      if (changed[t - 1] < 0 && changed[t] >= 0) ++crossings;
    }
    // One second of 200 Hz has 200 periods at any speed.
    EXPECT_NEAR(crossings, 200, 1);
    faster = faster || length < 0.97 * kRate;
    slower = slower || length > 1.03 * kRate;
  }
  EXPECT_TRUE(faster && slower);
  EXPECT_EQ(AtAnotherSpeed({0.5f}, 0.1, rng).front(), 0.5f);
  EXPECT_EQ(AtAnotherSpeed(tone, 0, rng), tone);
}

/// True for masked elements of [F, bands].
std::vector<bool> Hidden(const Tensor& features) {
  const float* x = features.data<float>();
  std::vector<bool> hidden;
  for (int64_t i = 0; i < features.numel(); ++i) hidden.push_back(x[i] == 0);
  return hidden;
}

TEST(SoundChanges, MasksHideBandsAndStretchesOfTime) {
  constexpr int64_t kBands = 10, kStack = 3, kRows = 20;
  constexpr int64_t kFrames = kRows * kStack;
  SoundChangesConfig bands, time;
  bands.band_masks = 1;
  bands.band_mask_width = 4;
  time.time_masks = 1;
  time.time_mask_width = 0.2;  // 20 frames, but limited to a fifth of 60
  Rng rng(5);
  int64_t widest = 0, longest = 0;
  for (int draw = 0; draw < 200; ++draw) {
    Tensor of_bands = Tensor::Full({kRows, kStack * kBands}, 1);
    MaskFeatures(bands, kBands, 0.01, rng, of_bands);
    const std::vector<bool> some_bands = Hidden(of_bands);
    int64_t width = 0;
    for (int64_t m = 0; m < kBands; ++m) {
      width += At(some_bands, m) ? 1 : 0;
      for (int64_t f = 1; f < kFrames; ++f) {
        ASSERT_EQ(At(some_bands, f * kBands + m), At(some_bands, m));
      }
    }
    widest = std::max(widest, width);
    Tensor of_time = Tensor::Full({kRows, kStack * kBands}, 1);
    MaskFeatures(time, kBands, 0.01, rng, of_time);
    const std::vector<bool> some_time = Hidden(of_time);
    int64_t length = 0, begins = 0;
    for (int64_t f = 0; f < kFrames; ++f) {
      const bool is = At(some_time, f * kBands);
      const bool was = f > 0 && At(some_time, (f - 1) * kBands);
      length += is ? 1 : 0;
      begins += is && !was ? 1 : 0;
      for (int64_t m = 1; m < kBands; ++m) {
        ASSERT_EQ(At(some_time, f * kBands + m), is);
      }
    }
    EXPECT_LE(begins, 1);
    longest = std::max(longest, length);
  }
  EXPECT_EQ(widest, 4);
  EXPECT_EQ(longest, 12);
  // Time masks do not change a sound of one frame.
  Tensor one = Tensor::Full({1, kStack * kBands}, 1);
  time.time_masks = 9;
  MaskFeatures(time, kBands, 0.01, rng, one);
  EXPECT_EQ(one.data<float>()[0], 1);
}

}  // namespace
}  // namespace heed
