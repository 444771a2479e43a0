#include "heed/render/cells.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "heed/base/testing.h"

namespace heed {
namespace {

std::string CellsOf(const std::vector<float>& values, int64_t columns) {
  MarkupWriter svg;
  AddCells(values, columns, 10, 10, &svg);
  return svg.Take();
}

TEST(AddCells, MakesOnePathPerShade) {
  const std::string svg = CellsOf({0.5f, 0.5f, 1.0f, 0.5f, 0.0f, 1.0f}, 3);
  EXPECT_EQ(Count(svg, "<path"), 2u);
  EXPECT_NE(svg.find("fill-opacity='0.5' d='M0 0h20v10h-20zM0 10h10v10h-10z'"),
            std::string::npos);
  EXPECT_NE(svg.find("fill-opacity='1' d='M20 0h10v10h-10zM20 10h10v10h-10z'"),
            std::string::npos);
}

TEST(AddCells, GivesValuesBelowZeroTheOtherHue) {
  EXPECT_EQ(Count(CellsOf({-0.5f}, 1), "class='minus' fill-opacity='0.5'"), 1u);
}

TEST(AddCells, LeavesOutWhatHasNoShade) {
  EXPECT_EQ(CellsOf({0.0f, 0.02f, std::numeric_limits<float>::quiet_NaN()}, 3),
            "");
  EXPECT_EQ(CellsOf({}, 0), "");
}

TEST(FormatStrongest, NamesTheLargestWithoutRegardToSign) {
  const std::vector<std::string> tokens = {"a", "b", "c", "d"};
  const std::vector<float> values = {0.1f, -0.6f, 0.3f, 0.001f};
  EXPECT_EQ(FormatStrongest(values, tokens, 2), "b -0.60, c 0.30");
  EXPECT_EQ(FormatStrongest(values, tokens, 9), "b -0.60, c 0.30, a 0.10");
  EXPECT_EQ(FormatStrongest(std::vector<float>(4), tokens, 2), "nothing");
}

}  // namespace
}  // namespace heed
