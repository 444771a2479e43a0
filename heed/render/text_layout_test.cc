#include "heed/render/text_layout.h"

#include <gtest/gtest.h>

#include "heed/base/text.h"

namespace heed {
namespace {

TEST(VisibleToken, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(VisibleToken("Straße 東京 🙂 <b>"), "Straße 東京 🙂 <b>");
  EXPECT_EQ(VisibleToken(""), "");
}

TEST(VisibleToken, ShowsWhatCannotBeSeen) {
  EXPECT_EQ(VisibleToken(" "), "␣");
  EXPECT_EQ(VisibleToken("a\nb\x1b[31m\x7f"), "a␊b␛[31m␡");
  EXPECT_EQ(VisibleToken(std::string_view("\0", 1)), "␀");
}

TEST(VisibleToken, ReplacesWhatWouldBreakThePicture) {
  EXPECT_EQ(VisibleToken("a\xff"
                         "b"),
            "a�b");
  EXPECT_EQ(VisibleToken("\xe2\x80\xae"
                         "abc"),
            "�abc");  // right-to-left override
  EXPECT_EQ(VisibleToken("\xef\xbf\xbf\xc2\x85"), "��");  // U+FFFF, U+0085
}

TEST(DisplayCharacters, KeepMarksWithTheirBase) {
  EXPECT_EQ(DisplayCharacters("e\xcc\x81x"),
            (std::vector<std::string>{"e\xcc\x81", "x"}));
}

TEST(Ellipsize, CutsOnlyWhatDoesNotFit) {
  EXPECT_EQ(Ellipsize("abcdef", 6), "abcdef");
  EXPECT_EQ(Ellipsize("abcdef", 5), "abcd…");
  EXPECT_EQ(Ellipsize("東京都", 5), "東京…");
  EXPECT_EQ(Ellipsize("東京都", 4), "東…");
  EXPECT_EQ(Ellipsize("abc", 0), "");
}

TEST(Pad, FillsToExactlyTheColumns) {
  EXPECT_EQ(Pad("ab", 5), "ab   ");
  EXPECT_EQ(Pad("ab", 5, Align::kRight), "   ab");
  EXPECT_EQ(Pad("ab", 5, Align::kCentre), " ab  ");
  for (int columns = 0; columns < 9; ++columns) {
    EXPECT_EQ(DisplayWidth(Pad("東京abc", columns)), columns);
  }
}

}  // namespace
}  // namespace heed
