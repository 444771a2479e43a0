#include "heed/data/fields.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

TEST(Fields, AreTrimmedOnlyIfRequested) {
  FieldReader exact(Delimiter::kComma, "x");
  EXPECT_EQ(*exact.Add(" a ,\"b\"", 1), (Strings{" a ", "b"}));
  FieldReader trimmed(Delimiter::kComma, "x", true);
  EXPECT_EQ(*trimmed.Add(" a , \" b \" ,c d ", 1),
            (Strings{"a", " b ", "c d"}));
}

TEST(Fields, QuotesMaySpanLines) {
  FieldReader fields(Delimiter::kSemicolon, "x");
  EXPECT_EQ(fields.Add("a;\"b", 1), nullptr);
  EXPECT_TRUE(fields.quoted());
  EXPECT_EQ(*fields.Add("c\"\"d\";e", 2), (Strings{"a", "b\nc\"d", "e"}));
  EXPECT_EQ(fields.Add("\"", 3), nullptr);
  EXPECT_EQ(MessageOf<FormatError>([&] { fields.Finish(); }),
            "x:3:1: a quote is not closed");
}

TEST(Fields, DelimiterIsThatOfEqualRows) {
  const auto guess = [](const Strings& lines) { return GuessDelimiter(lines); };
  EXPECT_EQ(guess({"a,b", "1,2"}), Delimiter::kComma);
  EXPECT_EQ(guess({"date;value", "2024;10,000", "2025;11,276"}),
            Delimiter::kSemicolon);
  EXPECT_EQ(guess({"date\tvalue", "May 1, 2024\t10", "May 2, 2024\t11"}),
            Delimiter::kTab);
  EXPECT_EQ(guess({"a|b|c", "1|2|3"}), Delimiter::kPipe);
  EXPECT_EQ(guess({"\"a;b\",c", "\"1;2\",3"}), Delimiter::kComma);
  EXPECT_EQ(guess({"a", "1", "2"}), Delimiter::kComma);
  EXPECT_EQ(guess({}), Delimiter::kComma);
}

TEST(Fields, SpreadsheetsAnnounceTheirDelimiter) {
  EXPECT_EQ(AnnouncedDelimiter("sep=;"), Delimiter::kSemicolon);
  EXPECT_EQ(AnnouncedDelimiter("\"SEP=\t\""), Delimiter::kTab);
  EXPECT_EQ(AnnouncedDelimiter("sep=x"), std::nullopt);
  EXPECT_EQ(AnnouncedDelimiter("separator"), std::nullopt);
}

}  // namespace
}  // namespace heed
