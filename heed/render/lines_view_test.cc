#include "heed/render/lines_view.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

std::string LinesSvg(const AlignmentView& view) {
  const Drawing lines = DrawLines(view);
  return SvgPicture({&lines, 1}, {.label = "lines"});
}

TEST(DrawLines, DrawsALineForEachVisibleWeight) {
  const std::string svg =
      LinesSvg({{"a", "b"}, {"x", "y"}, {0.2f, 0.8f, 0.99f, 0.01f}, "title"});
  EXPECT_EQ(Count(svg, "<path stroke-width="), 3u);
  EXPECT_NE(svg.find("stroke-width='6.20' stroke-opacity='0.82'"),
            std::string::npos);
  EXPECT_NE(svg.find("<title>x ← b: 0.80</title>"), std::string::npos);
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(DrawLines, TakesSmallestEmptyAndLongAlignments) {
  EXPECT_TRUE(IsDrawable(LinesSvg({{"<a>"}, {"&"}, {1.0f}, ""})));
  EXPECT_TRUE(IsDrawable(LinesSvg({})));
  const std::string svg = LinesSvg(AlignmentOf(ExampleSegment(200, 200)));
  EXPECT_LT(svg.size(), size_t{1} << 20);
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(DrawLines, WeightsMustFitTheTokens) {
  EXPECT_THROW(DrawLines({{"a"}, {"b"}, {}, ""}), ShapeError);
}

}  // namespace
}  // namespace heed
