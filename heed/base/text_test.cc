#include "heed/base/text.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Pieces = std::vector<std::string_view>;

TEST(SplitAt, KeepsEmptyPieces) {
  using Pieces = std::vector<std::string_view>;
  EXPECT_EQ(SplitAt("a\tb", "\t"), (Pieces{"a", "b"}));
  EXPECT_EQ(SplitAt("\ta\t\t", "\t"), (Pieces{"", "a", "", ""}));
  EXPECT_EQ(SplitAt("", "\t"), (Pieces{""}));
  EXPECT_EQ(SplitAt("x ||| y|", " ||| "), (Pieces{"x", "y|"}));
}

TEST(Text, WellFormedUtf8IsValid) {
  EXPECT_TRUE(IsValidUtf8(""));
  EXPECT_TRUE(IsValidUtf8("plain"));
  EXPECT_TRUE(IsValidUtf8("Straße 東京 🙂"));
  EXPECT_TRUE(IsValidUtf8(std::string_view("a\0b", 3)));
}

TEST(Text, IllFormedUtf8IsInvalid) {
  EXPECT_FALSE(IsValidUtf8("\xff"));
  EXPECT_FALSE(IsValidUtf8("caf\xe9 bar"));
  EXPECT_FALSE(IsValidUtf8("\xc0\xaf"));          // overlong '/'
  EXPECT_FALSE(IsValidUtf8("\xed\xa0\x80"));      // surrogate
  EXPECT_FALSE(IsValidUtf8("\xe2\x82"));          // cut short
  EXPECT_FALSE(IsValidUtf8("\xf4\x90\x80\x80"));  // above U+10FFFF
}

TEST(Text, CharactersAreCodePoints) {
  EXPECT_EQ(Utf8Characters("aß東🙂"), (Pieces{"a", "ß", "東", "🙂"}));
  EXPECT_TRUE(Utf8Characters("").empty());
}

TEST(Text, CharactersOfIllFormedTextLoseNoByte) {
  std::string joined;
  for (std::string_view c : Utf8Characters("a\xff\xe2\x82z")) joined += c;
  EXPECT_EQ(joined, "a\xff\xe2\x82z");
}

TEST(Text, LowercaseFollowsUnicode) {
  EXPECT_EQ(Lowercase("ÄÖÜ STRASSE ẞ"), "äöü strasse ß");
  EXPECT_EQ(Lowercase("ΟΔΟΣ"), "οδος");      // final sigma
  EXPECT_EQ(Lowercase("İI"), "i\xcc\x87i");  // no Turkish exception
  EXPECT_EQ(Lowercase("ПРИВЕТ 東京"), "привет 東京");
}

TEST(Text, UppercaseFollowsUnicode) {
  EXPECT_EQ(Uppercase("straße, ψυχής 東京"), "STRASSE, ΨΥΧΉΣ 東京");
  EXPECT_EQ(Uppercase("a\xff"), "A\xef\xbf\xbd");
}

TEST(Text, LowercaseOfIllFormedTextIsUtf8) {
  EXPECT_EQ(Lowercase("\xff"), "\xef\xbf\xbd");
  EXPECT_EQ(Lowercase("Ä\xc3 B\xed\xa0\x80"),
            "ä\xef\xbf\xbd b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Text, HasRightToLeftFindsALetter) {
  EXPECT_TRUE(HasRightToLeft("a שלום"));
  EXPECT_TRUE(HasRightToLeft("مرحبا"));
  EXPECT_FALSE(HasRightToLeft("a, 東京 1 \xFF"));
  EXPECT_FALSE(HasRightToLeft(""));
}

TEST(Text, DisplayWidthCountsTerminalColumns) {
  EXPECT_EQ(DisplayWidth(""), 0);
  EXPECT_EQ(DisplayWidth("Straße"), 6);
  EXPECT_EQ(DisplayWidth("東京"), 4);
  EXPECT_EQ(DisplayWidth("e\xcc\x81"), 1);  // combining acute accent
  EXPECT_EQ(DisplayWidth("한"), 2);
  EXPECT_EQ(DisplayWidth("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab"), 2);  // jamo
  EXPECT_EQ(DisplayWidth("🙂"), 2);
  EXPECT_EQ(DisplayWidth("\x01\x7f"), 0);
}

TEST(Text, SplitWhitespaceDropsEmptyPieces) {
  EXPECT_EQ(SplitWhitespace("  a\tb \r\n c"), (Pieces{"a", "b", "c"}));
  EXPECT_TRUE(SplitWhitespace(" \t\n").empty());
  EXPECT_EQ(SplitWhitespace("a\xc2\xa0"
                            "b")
                .size(),
            1u);  // no-break space
}

TEST(Text, SplitUnicodeWhitespaceFollowsPython) {
  EXPECT_EQ(SplitUnicodeWhitespace("a\xc2\xa0"
                                   "b\xe3\x80\x80"
                                   "c\x1c"
                                   "d"),
            (Pieces{"a", "b", "c", "d"}));
  // A zero-width space is not white space.
  EXPECT_EQ(SplitUnicodeWhitespace("a\xe2\x80\x8b"
                                   "b")
                .size(),
            1u);
}

TEST(LettersAlone, KeepsLettersOfEveryScript) {
  EXPECT_EQ(LettersAlone("It's 5 o'clock."), "It s   o clock ");
  EXPECT_EQ(LettersAlone("Größe – 大きさ!"), "Größe   大きさ ");
  EXPECT_EQ(LettersAlone("e\u0301t\u00E9"), "e\u0301t\u00E9");
  EXPECT_EQ(LettersAlone("a\xFF"
                         "b"),
            "a b");
  EXPECT_EQ(LettersAlone(""), "");
}

}  // namespace
}  // namespace heed
