#include "heed/base/normal_form.h"

#include <gtest/gtest.h>

#include <string>

namespace heed {
namespace {

TEST(NormalForm, ComposesCanonicallyEqualTexts) {
  EXPECT_EQ(NormalForm("Cafe\u0301"), "Caf\u00E9");
  // Marks in either order; the Angstrom sign and A with ring; Hangul.
  EXPECT_EQ(NormalForm("a\u0323\u0302"), NormalForm("a\u0302\u0323"));
  EXPECT_EQ(NormalForm("\u212B"), "\u00C5");
  EXPECT_EQ(NormalForm("\u1112\u1161\u11AB"), "\uD55C");
}

TEST(NormalForm, MakesEveryWhiteSpaceASpace) {
  for (const char* space :
       {"\u00A0", "\u3000", "\u2009", "\u202F", "\u2007", "\u1680", "\u2028",
        "\u2029", "\u205F", "\u0085", "\t", "\v", "\r"}) {
    EXPECT_EQ(NormalForm(std::string("a") + space + "b"), "a b");
    EXPECT_EQ(NormalForm(std::string("a ") + space + "b"), "a  b");
  }
}

TEST(NormalForm, RemovesInvisibleFormatAndControlCharacters) {
  for (const char* invisible :
       {"\u00AD", "\u2060", "\u2061", "\u202A", "\u202C", "\u2066", "\u2069",
        "\u061C", "\u180E", "\u034F", "\x01", "\x1F", "\x7F", "\u009F"}) {
    EXPECT_EQ(NormalForm(std::string("wo") + invisible + "man"), "woman");
  }
  EXPECT_EQ(NormalForm(std::string("a\0b", 3)), "ab");
  EXPECT_EQ(NormalForm("e\u00AD\u0301"), "\u00E9");
}

TEST(NormalForm, SeparatesWordsAtZeroWidthSpacesAndMarksOnce) {
  for (const char* gap : {"\u200B", "\uFEFF", "\u200E", "\u200F"}) {
    const std::string mark = gap;
    EXPECT_EQ(NormalForm("The" + mark + "man"), "The man");
    EXPECT_EQ(NormalForm("The " + mark + "man"), "The man");
    EXPECT_EQ(NormalForm("The" + mark + " man"), "The man");
    EXPECT_EQ(NormalForm(mark + "The man" + mark + mark), "The man");
  }
}

TEST(NormalForm, KeepsJoinersSelectorsAndTags) {
  for (const char* text :
       {"👩‍👩‍👧", "می‌خواهم", "क्‍ष", "❤️",
        "1️⃣", "\U0001F3F4\U000E0067\U000E0062\U000E007F",
        "½ … ﬁ Ⅳ ＡＢ"}) {
    EXPECT_EQ(NormalForm(text), text);
  }
}

TEST(NormalForm, OfItselfIsItself) {
  for (const std::string text :
       {"\u00A0\uFEFF x\u200B\u00ADy\u0301 \u200E", "a\xFF\u0301\xC3", ""}) {
    EXPECT_EQ(NormalForm(NormalForm(text)), NormalForm(text));
  }
}

}  // namespace
}  // namespace heed
