#include "heed/models/speech/log_mel.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/errors.h"
#include "heed/models/model_testing.h"

namespace heed::log_mel_test {
namespace {

std::vector<float> SamplesOf(const GoldenTensors& golden) {
  return golden.at("samples").To(DType::kF32).ToVector<float>();
}

TEST(LogMel, IsThatOfNumpysTransform) {
  const GoldenTensors golden("log_mel");
  const std::vector<float> samples = SamplesOf(golden);
  const LogMel mel({}, DType::kF64);
  EXPECT_LT(MaxDifference(mel.triangles(), golden.at("triangles")), 1e-12);
  const Tensor energies = mel.Energies(samples);
  EXPECT_LT(MaxDifference(energies, golden.at("energies")), 1e-9);
  EXPECT_LT(MaxDifference(mel.Features(energies), golden.at("features")), 1e-9);
}

TEST(LogMel, InF32FeaturesDifferInTheFourthDigit) {
  const GoldenTensors golden("log_mel");
  const LogMel mel({});
  EXPECT_LT(MaxDifference(mel.Features(mel.Energies(SamplesOf(golden))),
                          golden.at("features").To(DType::kF32)),
            5e-4);
}

TEST(LogMel, FramesAreAsManyAsFit) {
  const LogMel mel({});
  const auto frames = [&](size_t samples) {
    return mel.Energies(std::vector<float>(samples, 0.1f)).dim(0);
  };
  EXPECT_EQ(frames(1), 1);
  EXPECT_EQ(frames(200), 1);
  EXPECT_EQ(frames(279), 1);
  EXPECT_EQ(frames(280), 2);
  EXPECT_EQ(mel.Features(mel.Energies(std::vector<float>(680, 0.1f))).shape(),
            (Shape{3, 120}));  // 7 frames
  EXPECT_DOUBLE_EQ(mel.step(), 0.03);
}

TEST(LogMel, SilenceIsFinite) {
  const LogMel mel({});
  for (const size_t samples : {1u, 800u}) {
    const Tensor features =
        mel.Features(mel.Energies(std::vector<float>(samples)));
    for (const float x : features.ToVector<float>()) EXPECT_EQ(x, 0);
  }
}

TEST(LogMel, ALouderSoundHasTheSameFeatures) {
  const GoldenTensors golden("log_mel");
  std::vector<float> samples = SamplesOf(golden);
  const LogMel mel({});
  const Tensor before = mel.Features(mel.Energies(samples));
  for (float& x : samples) x *= 0.25f;
  EXPECT_LT(MaxDifference(mel.Features(mel.Energies(samples)), before), 1e-4);
}

TEST(LogMel, RefusesBandsWithoutAFrequency) {
  EXPECT_THROW(LogMel({.rate = 8000, .bands = 128}), ConfigError);
  EXPECT_NO_THROW(LogMel({.rate = 16000, .bands = 60}));
}

}  // namespace
}  // namespace heed::log_mel_test
