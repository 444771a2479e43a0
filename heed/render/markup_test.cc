#include "heed/render/markup.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(EscapeMarkup, LeavesNoMarkup) {
  EXPECT_EQ(EscapeMarkup("<a href=\"x\">'&'</a>\x01"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;␁");
}

TEST(MarkupToken, SetsOffWhereAWordBegins) {
  EXPECT_EQ(MarkupToken("▁<a>", 10), "<tspan class='space'>▁</tspan>&lt;a&gt;");
  EXPECT_EQ(MarkupToken("▁", 10), "▁");
  EXPECT_EQ(MarkupToken("abcdef", 4), "abc…");
}

TEST(MarkupToken, IsolatesWhatIsWrittenFromRightToLeft) {
  EXPECT_EQ(MarkupToken("עולם,", 10), "\u2068עולם,\u2069");
  EXPECT_EQ(MarkupToken("a,", 10), "a,");
}

TEST(TextWidth, GrowsWithColumnsAndFontSize) {
  EXPECT_DOUBLE_EQ(TextWidth("", 12), 0.0);
  EXPECT_DOUBLE_EQ(TextWidth("東京", 12), TextWidth("abcd", 12));
  EXPECT_DOUBLE_EQ(TextWidth("ab", 20), 2 * TextWidth("ab", 10));
}

TEST(MarkupWriter, EndsEachLine) {
  MarkupWriter writer;
  writer.Line("<g id='{}'>", 1);
  writer.Line("</g>");
  EXPECT_EQ(writer.Take(), "<g id='1'>\n</g>\n");
}

}  // namespace
}  // namespace heed
