#include <gtest/gtest.h>

#include "heed/base/base64.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/data/image.h"
#include "heed/data/sound.h"
#include "heed/render/axis_kind.h"
#include "heed/render/explanation_file.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

/// A sound of `frames` frames of 30 ms, and an answer of three words.
ExplanationSegment SoundSegment(int64_t frames) {
  ExplanationSegment e = ExampleSegment(frames, 3);
  Axis& sound = e.axes[0];
  sound.kind = "audio";
  sound.label = "Sound";
  const Image spectrogram = {
      4, 3 * frames, 1,
      std::vector<uint8_t>(static_cast<size_t>(12 * frames), 90)};
  const double seconds = 0.03 * static_cast<double>(frames) - 0.01;
  sound.payload =
      SoundPayload{seconds,
                   0.03,
                   seconds,
                   8000,
                   std::vector<std::vector<int>>(4, std::vector<int>(20, 200)),
                   ToBase64(EncodePng(spectrogram)),
                   ToBase64(EncodeWav(std::vector<float>(80), 8000))};
  return e;
}

std::string SoundSvg(const ExplanationSegment& segment) {
  const std::vector<Explanation> one = {ExplanationOf(segment)};
  return ExplanationSvg(one, {});
}

TEST(AudioKind, TheSpectrogramStandsAboveARowForEachWord) {
  const std::string svg = SoundSvg(SoundSegment(20));
  EXPECT_EQ(Count(svg, "<image "), 1u);
  EXPECT_EQ(Count(svg, ">t0 0.50</text>"), 1u);
  EXPECT_EQ(Count(svg, ">t2 0.50</text>"), 1u);
  EXPECT_EQ(Count(svg, "class='field'"), 4u);
  EXPECT_EQ(Count(svg, "0.5 s</text>"), 1u) << "the last mark of the time";
  // Frequencies up to half the sample rate.
  EXPECT_EQ(Count(svg, ">4 kHz</text>"), 1u);
  EXPECT_EQ(Count(svg, ">2</text>"), 1u);
  EXPECT_EQ(Count(svg, "kHz</text>"), 1u);
  EXPECT_EQ(Count(svg, "with its probability"), 1u);
  // The image, and rows that exceed it by 10 ms of their last frame.
  EXPECT_GE(Count(svg, "width='940.0'"), 5u);
  EXPECT_EQ(Count(svg, "<svg width='940.0' height='18'>"), 3u);
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(AudioKind, LongSoundsArePooled) {
  const size_t small = SoundSvg(SoundSegment(400)).size();
  const size_t large = SoundSvg(SoundSegment(1200)).size();
  EXPECT_LT(large, small + 40000);
}

TEST(AudioKind, InATerminalRowsAreUnderTheirTime) {
  const std::string text =
      TerminalExplanation(ExplanationOf(SoundSegment(20)), {}, {.width = 79});
  EXPECT_NE(text.find("0.59 s"), std::string::npos);
  EXPECT_NE(text.find("           t0 0.50 █"), std::string::npos) << text;
}

TEST(AudioKind, ValuesOfFramesAreShadedBelowIt) {
  const ExplanationSegment e = SoundSegment(20);
  std::vector<float> values(20);
  values[3] = 1;
  values[7] = -1;
  const AxisKind& kind = KindOf(e.axes[0]);
  EXPECT_EQ(kind.name, "audio");
  const Drawing drawing = kind.shade(e, e.axes[0], values, 500);
  EXPECT_EQ(drawing.width, 500);
  EXPECT_EQ(Count(drawing.svg, "class='minus'"), 1u);
  EXPECT_EQ(kind.shade_text(e, e.axes[0], values, 1, {.width = 21}),
            " ···█···-············\n");
}

TEST(AudioKind, RefusesAPayloadThatIsNone) {
  ExplanationSegment e = SoundSegment(20);
  ChangePayload<SoundPayload>(e.axes[0], [](auto& sound) { sound.drawn = 0; });
  EXPECT_THROW(SoundSvg(e), ShapeError);
  e.axes[0].payload = {};
  EXPECT_THROW(SoundSvg(e), ShapeError);
}

}  // namespace
}  // namespace heed
