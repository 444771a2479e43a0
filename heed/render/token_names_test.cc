#include "heed/render/token_names.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/render/text_layout.h"

namespace heed {
namespace {

const std::vector<std::string> kTokens = {"a", "<b>", "a_very_long_token"};

TEST(TokenNames, AreCutAndAsWideAsTheLongest) {
  const NameStyle style = {.font = 10, .columns = 6};
  EXPECT_EQ(ShortToken(kTokens[2], style), Ellipsize(kTokens[2], 6));
  EXPECT_EQ(WidestToken(kTokens, style), TextWidth("123456", 10));
  EXPECT_EQ(WidestToken({}, style), 0);
}

TEST(TokenNames, RowsStandInTheMiddleOfTheirCells) {
  MarkupWriter svg;
  AddRowNames(kTokens, -8, 20, {.font = 10, .columns = 24}, &svg);
  const std::string text = svg.Take();
  EXPECT_NE(text.find("y='13.5'"), text.npos);
  EXPECT_NE(text.find("y='33.5'"), text.npos);
  EXPECT_NE(text.find(">&lt;b&gt;<"), text.npos);
}

TEST(TokenNames, ColumnsLeanOnlyWhereTheyMust) {
  MarkupWriter upright;
  AddColumnNames(kTokens, 20, false, {.font = 10, .columns = 24}, &upright);
  EXPECT_EQ(upright.Take().find("rotate"), std::string::npos);
  MarkupWriter leaning;
  AddColumnNames(kTokens, 20, true, {.font = 10, .columns = 24}, &leaning);
  EXPECT_NE(leaning.Take().find("rotate(-52)"), std::string::npos);
  EXPECT_NEAR(std::hypot(LeaningWidth(30), LeaningHeight(30)), 30, 1e-9);
}

TEST(TokenNames, ATipSaysTheLargestOfARow) {
  MarkupWriter svg;
  const std::vector<float> weights = {0.1f, 0.2f, 0.7f, 0, 0, 1};
  const std::vector<std::string> rows = {"x", "y"};
  AddRowTips(rows, kTokens, weights, 5, 2, &svg);
  const std::string text = svg.Take();
  EXPECT_NE(text.find("x ← a_very_long_token 0.70, &lt;b&gt; 0.20<"),
            text.npos);
  EXPECT_NE(text.find("y ← a_very_long_token 1.00<"), text.npos);
}

}  // namespace
}  // namespace heed
