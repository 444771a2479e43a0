#include "heed/render/frames_view.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

std::string FramesSvg(const AlignmentView& view) {
  const Drawing frames = DrawFrames(view);
  return SvgPicture({&frames, 1}, {.label = "frames"});
}

TEST(DrawFrames, HasOneFramePerTargetToken) {
  const std::string svg = FramesSvg(AlignmentOf(ExampleSegment(4, 3)));
  EXPECT_EQ(Count(svg, "class='frame'"), 3u);
  EXPECT_NE(svg.find(">2 / 3</text>"), std::string::npos);
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(DrawFrames, ShowsThePreviousTokensAndTheWeightsOfTheStep) {
  const std::string svg =
      FramesSvg({{"a", "b"}, {"x", "y"}, {0.2f, 0.8f, 0.95f, 0.05f}, "title"});
  EXPECT_NE(svg.find("<tspan class='quiet'>x </tspan><tspan class='now'>y"),
            std::string::npos);
  EXPECT_NE(svg.find("<title>b: 0.80</title>"), std::string::npos);
  EXPECT_NE(svg.find("<title>b: 0.05</title>"), std::string::npos);
  EXPECT_EQ(Count(svg, ">0.80</text>"), 1u);
  EXPECT_EQ(Count(svg, ">0.05</text>"), 0u);  // too small for a number
  EXPECT_EQ(Count(svg, ">title</text>"), 1u);
}

TEST(DrawFrames, OfALongSourceTheStrongestStand) {
  const std::string svg = FramesSvg(AlignmentOf(ExampleSegment(200, 200)));
  EXPECT_EQ(Count(svg, ">s150</text>"), 1u);  // only in its own frame
  EXPECT_LT(svg.size(), size_t{2} << 20);
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(DrawFrames, TakesSmallestAndEmptyAlignments) {
  EXPECT_TRUE(IsDrawable(FramesSvg({{"a"}, {"x"}, {1.0f}, ""})));
  EXPECT_TRUE(IsDrawable(FramesSvg({})));
  EXPECT_TRUE(IsDrawable(FramesSvg({{}, {"<x>"}, {}, "&"})));
}

TEST(DrawFrames, WeightsMustFitTheTokens) {
  EXPECT_THROW(DrawFrames({{"a"}, {"b"}, {}, ""}), ShapeError);
}

}  // namespace
}  // namespace heed
