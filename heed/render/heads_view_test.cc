#include "heed/render/heads_view.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

std::string HeadsSvg(const ExplanationSegment& segment) {
  const Drawing heads = DrawHeads(segment);
  return SvgPicture({&heads, 1},
                    {.label = "heads", .legend = {PictureLegend::kWeights}});
}

TEST(DrawHeads, HasATileForEveryHeadOfEveryLayer) {
  const std::string svg = HeadsSvg(ExampleSegment(5, 4, 3));
  EXPECT_EQ(Count(svg, "class='head'"), 9u);
  EXPECT_EQ(Count(svg, ">encoder.self_attention</text>"), 1u);
  EXPECT_EQ(Count(svg, ">Source: attention to itself</text>"), 1u);
  EXPECT_EQ(Count(svg, ">Translation so far: attention to itself</text>"), 1u);
  EXPECT_EQ(Count(svg, ">Translation attends to Source</text>"), 1u);
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(DrawHeads, SaysEntropyAndDistance) {
  ExplanationSegment e = ExampleSegment(4, 1, 1);
  e = WithoutRows(e);
  e.maps.resize(1);
  e.maps[0].weights = {0.5f, 0.5f, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const std::string svg = HeadsSvg(e);
  EXPECT_EQ(
      Count(svg,
            "encoder.self_attention, head 0: entropy 0.25 bits, distance 0.1"),
      1u);
  EXPECT_EQ(Count(svg, ">Source: attention to itself</text>"), 1u);
}

TEST(DrawHeads, NamesTokensWhereThereIsRoom) {
  EXPECT_NE(HeadsSvg(ExampleSegment(5, 4, 3)).find(">s0</text>"),
            std::string::npos);
  const std::string crowded = HeadsSvg(ExampleSegment(60, 60, 12));
  EXPECT_EQ(crowded.find(">s0</text>"), std::string::npos);
  EXPECT_NE(crowded.find("<title>s7 ← s7 0.75"), std::string::npos);
}

TEST(DrawHeads, LongTextsMakeNoHugeFiles) {
  // Heads of 12 layers: 1.4 million weights.
  const std::string svg = HeadsSvg(ExampleSegment(200, 200, 12));
  EXPECT_LT(svg.size(), size_t{1} << 20);
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(DrawHeads, TakesSmallestAndEmptyExplanations) {
  EXPECT_TRUE(IsDrawable(HeadsSvg(ExampleSegment(1, 1, 1))));
  EXPECT_TRUE(IsDrawable(HeadsSvg({})));
  EXPECT_TRUE(IsDrawable(HeadsSvg(ExampleSegment(0, 0, 2))));
}

TEST(DrawHeads, EscapesLayersAndTokens) {
  ExplanationSegment e = ExampleSegment();
  e.maps[0].name = "<layer>";
  e.axes[0].items[0] = "</svg>";
  e.text = "'&\"";
  const std::string svg = HeadsSvg(e);
  EXPECT_EQ(Count(svg, "</svg>"), 1u);
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(DrawHeads, WeightsMustFitTheTokens) {
  ExplanationSegment e = ExampleSegment();
  e.axes[0].items.push_back("more");
  EXPECT_THROW(CheckExplanation(ExplanationOf(e)), ShapeError);
}

}  // namespace
}  // namespace heed
