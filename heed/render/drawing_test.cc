#include "heed/render/drawing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "heed/base/testing.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

const Drawing kSquare = {100, 50, "<rect width='100' height='50'/>\n"};

TEST(SameWidth, MakesRowsOfEqualColumns) {
  const std::vector<Drawing> drawings = {
      {20, 10, ""}, {40, 10, ""}, {30, 10, ""}};
  const Drawing flow = FlowDrawings(SameWidth(drawings), 100, 10);
  EXPECT_EQ(flow.width, 90);
  EXPECT_EQ(flow.height, 30);
  EXPECT_EQ(Count(flow.svg, "translate(50.0 0.0)"), 1u);
}

TEST(FlowDrawings, FillsRowsFromLeftToRight) {
  const std::vector<Drawing> squares(5, kSquare);
  const Drawing flow = FlowDrawings(squares, 330, 10);
  EXPECT_DOUBLE_EQ(flow.width, 320);   // three and two gaps
  EXPECT_DOUBLE_EQ(flow.height, 110);  // two rows
  EXPECT_EQ(Count(flow.svg, "translate(220.0 0.0)"), 1u);
  EXPECT_EQ(Count(flow.svg, "translate(110.0 60.0)"), 1u);
}

TEST(FlowDrawings, OneStandsInARowHoweverWide) {
  const std::vector<Drawing> squares(2, kSquare);
  const Drawing flow = FlowDrawings(squares, 20, 10);
  EXPECT_DOUBLE_EQ(flow.width, 100);
  EXPECT_DOUBLE_EQ(flow.height, 110);
}

TEST(StackDrawings, PutsOneBelowTheOther) {
  const std::vector<Drawing> squares(3, kSquare);
  EXPECT_DOUBLE_EQ(StackDrawings(squares, 5).height, 160);
  EXPECT_DOUBLE_EQ(StackDrawings({}, 5).height, 0);
}

TEST(DrawHeading, EscapesAndCutsWhatIsTooLong) {
  EXPECT_NE(DrawHeading("<a>", 1).svg.find("&lt;a&gt;"), std::string::npos);
  EXPECT_LE(DrawHeading(std::string(5000, 'x'), 1).width, kPictureWidth);
}

TEST(SvgPicture, HasStyleMarginAndLegend) {
  const std::string svg = SvgPicture(
      {&kSquare, 1}, {.label = "a'b", .legend = {PictureLegend::kWeights}});
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_NE(svg.find("attention weight</text>"), std::string::npos);
  EXPECT_NE(svg.find("aria-label='a&#39;b'"), std::string::npos);
}

TEST(SvgPicture, HoldsEachImageOnce) {
  const auto with = [](const char* href) {
    return Drawing{10, 10, fmt::format("<image width='9' href='{}'/>\n", href)};
  };
  const std::vector<Drawing> images = {with("a"), with("b"), with("a")};
  const std::string svg = SvgPicture(images, {.label = ""});
  EXPECT_EQ(Count(svg, "href='a'"), 1u);
  EXPECT_EQ(Count(svg, "<image id='image-"), 2u);
  EXPECT_EQ(Count(svg, "<use href='#image-"), 1u);
}

TEST(SvgPicture, SignedLegendNamesBothEnds) {
  const std::string svg =
      SvgPicture({}, {.label = "", .legend = {PictureLegend::kSigned}});
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_EQ(Count(svg, ">against</text>"), 1u);
  EXPECT_EQ(Count(svg, ">for</text>"), 1u);
}

}  // namespace
}  // namespace heed
