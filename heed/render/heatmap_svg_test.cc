#include "heed/render/heatmap_svg.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

const AlignmentView kHeatmapView = {
    {"a", "b", "c"},
    {"x", "y", "z"},
    {0.0f, 0.1f, 0.9f, 0.0f, 1.0f, 0.0f, 0.75f, 0.25f, 0.0f},
    "A title"};

TEST(AlignmentSvg, DrawsACellForEachWeight) {
  const std::string svg = AlignmentSvg({&kHeatmapView, 1});
  EXPECT_EQ(Count(svg, "<rect class='cell'"), 5u);
  EXPECT_NE(svg.find("<title>x ← c: 0.90</title>"), std::string::npos);
  EXPECT_NE(svg.find("x='52' y='0' width='26' height='26' fill-opacity='0.90'"),
            std::string::npos);
}

TEST(Heatmap, HasCellsOfTheGivenSize) {
  const Drawing small = DrawHeatmap(kHeatmapView, {.cell = 15});
  EXPECT_EQ(Count(small.svg, "x='30' y='0' width='15' height='15'"), 1u);
  EXPECT_LT(small.width, DrawHeatmap(kHeatmapView).width);
}

TEST(AlignmentSvg, HasTitleLegendAndBothThemes) {
  const std::string svg = AlignmentSvg({&kHeatmapView, 1});
  EXPECT_NE(svg.find(">A title</text>"), std::string::npos);
  EXPECT_NE(svg.find("attention weight</text>"), std::string::npos);
  EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
}

TEST(AlignmentSvg, OutlinesOnlyWhatMoved) {
  EXPECT_EQ(Count(AlignmentSvg({&kHeatmapView, 1}), "class='moved'"), 0u);
  // x aligns to c, y to b and z to a: one phrase in reverse order.
  const std::string svg =
      AlignmentSvg({&kHeatmapView, 1}, {.outline_off_diagonal = true});
  EXPECT_EQ(Count(svg, "class='moved'"), 1u);
  EXPECT_NE(svg.find("x='1' y='1' width='76' height='76'"), std::string::npos);
}

TEST(AlignmentSvg, ShowsAllSentences) {
  const std::vector<AlignmentView> views(5, kHeatmapView);
  EXPECT_EQ(Count(AlignmentSvg(views), "class='matrix'"), 5u);
}

TEST(AlignmentSvg, EscapesEveryToken) {
  const AlignmentView view = {
      {"<a>", "&\x01"}, {"'\"", "\xff"}, {0.5f, 0.5f, 0.5f, 0.5f}, "</svg>"};
  const std::string svg = AlignmentSvg({&view, 1});
  EXPECT_EQ(Count(svg, "</svg>"), 1u);
  EXPECT_EQ(Count(svg, "<a>"), 0u);
  EXPECT_NE(svg.find("&lt;a&gt;"), std::string::npos);
  EXPECT_NE(svg.find("&amp;␁"), std::string::npos);
  EXPECT_NE(svg.find("&#39;&quot;"), std::string::npos);
  EXPECT_EQ(svg.find('\xff'), std::string::npos);
}

TEST(AlignmentSvg, TakesEmptySentencesAndNone) {
  const std::vector<AlignmentView> views = {
      {}, {{"a"}, {}, {}, "t"}, {{}, {"b"}, {}, ""}};
  EXPECT_EQ(
      Count(AlignmentSvg(views, {.outline_off_diagonal = true}), "</svg>"), 1u);
  EXPECT_EQ(Count(AlignmentSvg({}), "</svg>"), 1u);
}

TEST(AlignmentSvg, WeightsMustFitTheTokens) {
  const AlignmentView view = {{"a"}, {"b"}, {}, ""};
  EXPECT_THROW(AlignmentSvg({&view, 1}), ShapeError);
}

}  // namespace
}  // namespace heed
