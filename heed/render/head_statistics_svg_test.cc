#include "heed/render/head_statistics_svg.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

TEST(HeadStatisticsSvg, HasATablePerMeasure) {
  const std::vector<LayerStatistics> layers = {
      {"<self>", {{0.5, 2.25, 1.75, 0.625}, {1.5, 3.5, 3, 0.5}}, true},
      {"cross", {{2.5, 0.125}}, false}};
  const std::string svg = HeadStatisticsSvg(layers, {});
  EXPECT_EQ(Count(svg, "class='matrix'"), 5u);
  EXPECT_EQ(Count(svg, ">&lt;self&gt;</text>"), 4u);
  EXPECT_EQ(Count(svg, ">cross</text>"), 3u);
  EXPECT_EQ(Count(svg, ">2.25</text>"), 1u);
  EXPECT_EQ(Count(svg, ">1.75</text>"), 1u);
  EXPECT_EQ(Count(svg, ">From step to step</text>"), 1u);
  EXPECT_EQ(Count(svg, ">Importance</text>"), 0u);
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(HeadStatisticsSvg, AddsImportanceWhereItIsKnown) {
  const std::vector<LayerStatistics> layers = {{"self", {{0.5, 2.25}}, true}};
  const std::vector<LayerImportance> importance = {{"self", {0.75}}};
  const std::string svg = HeadStatisticsSvg(layers, importance);
  EXPECT_EQ(Count(svg, ">Importance</text>"), 1u);
  EXPECT_EQ(Count(svg, ">0.75</text>"), 1u);
  EXPECT_TRUE(IsDrawable(HeadStatisticsSvg({}, {})));
}

}  // namespace
}  // namespace heed
