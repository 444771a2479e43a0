#include "heed/render/heads_svg.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

std::string HeadsSvg(const Explanation& explanation) {
  const Drawing heads = DrawHeads(explanation);
  return SvgPicture({&heads, 1},
                    {.label = "heads", .legend = PictureLegend::kWeights});
}

TEST(DrawHeads, HasATileForEveryHeadOfEveryLayer) {
  const std::string svg = HeadsSvg(ExampleExplanation(5, 4, 3));
  EXPECT_EQ(Count(svg, "class='head'"), 9u);
  EXPECT_EQ(Count(svg, ">encoder.self</text>"), 1u);
  EXPECT_EQ(Count(svg, ">Encoder self-attention</text>"), 1u);
  EXPECT_EQ(Count(svg, ">Decoder self-attention</text>"), 1u);
  EXPECT_EQ(Count(svg, ">Attention of the target to the source</text>"), 1u);
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(DrawHeads, SaysEntropyAndDistance) {
  Explanation e = ExampleExplanation(4, 1, 1);
  e.layers.resize(1);
  e.alignment.reset();
  e.layers[0].weights = {0.5f, 0.5f, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const std::string svg = HeadsSvg(e);
  EXPECT_EQ(Count(svg, "encoder.self, head 0: entropy 0.25 bits, distance 0.1"),
            1u);
  EXPECT_EQ(Count(svg, ">Self-attention</text>"), 1u);
}

TEST(DrawHeads, NamesTokensWhereThereIsRoom) {
  EXPECT_NE(HeadsSvg(ExampleExplanation(5, 4, 3)).find(">s0</text>"),
            std::string::npos);
  const std::string crowded = HeadsSvg(ExampleExplanation(60, 60, 12));
  EXPECT_EQ(crowded.find(">s0</text>"), std::string::npos);
  EXPECT_NE(crowded.find("<title>s7 ← s7 0.75"), std::string::npos);
}

TEST(DrawHeads, LongTextsMakeNoHugeFiles) {
  // 12 layers' worth of heads: 1.4 million weights.
  const std::string svg = HeadsSvg(ExampleExplanation(200, 200, 12));
  EXPECT_LT(svg.size(), size_t{1} << 20);
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(DrawHeads, TakesSmallestAndEmptyExplanations) {
  EXPECT_TRUE(IsDrawable(HeadsSvg(ExampleExplanation(1, 1, 1))));
  EXPECT_TRUE(IsDrawable(HeadsSvg({})));
  EXPECT_TRUE(IsDrawable(HeadsSvg(ExampleExplanation(0, 0, 2))));
}

TEST(DrawHeads, EscapesLayersAndTokens) {
  Explanation e = ExampleExplanation();
  e.layers[0].layer = "<layer>";
  e.source[0] = "</svg>";
  e.text = "'&\"";
  const std::string svg = HeadsSvg(e);
  EXPECT_EQ(Count(svg, "</svg>"), 1u);
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(DrawHeads, WeightsMustFitTheTokens) {
  Explanation e = ExampleExplanation();
  e.source.push_back("more");
  EXPECT_THROW(DrawHeads(e), ShapeError);
}

}  // namespace
}  // namespace heed
