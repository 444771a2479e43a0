#include "heed/data/numbers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <vector>

namespace heed {
namespace {

TEST(Numbers, DecimalPointsAndCommasAreRead) {
  struct Case {
    const char* text;
    Decimal decimal;
    double number;
  };
  for (const auto& [text, decimal, number] :
       std::vector<Case>{{"1234.5", Decimal::kPoint, 1234.5},
                         {"1,234.5", Decimal::kPoint, 1234.5},
                         {"1,234,567", Decimal::kPoint, 1234567},
                         {"-1'234.5", Decimal::kPoint, -1234.5},
                         {"1 234 567.25", Decimal::kPoint, 1234567.25},
                         {"1234,5", Decimal::kComma, 1234.5},
                         {"1.234,5", Decimal::kComma, 1234.5},
                         {"+1.234.567", Decimal::kComma, 1234567},
                         {"1\u00A0234,5", Decimal::kComma, 1234.5},
                         {"1\u202F234,5", Decimal::kComma, 1234.5},
                         {"1,5e3", Decimal::kComma, 1500},
                         {",5", Decimal::kComma, 0.5},
                         {"10,000", Decimal::kComma, 10}}) {
    EXPECT_EQ(ParseDecimal(text, decimal), number) << text;
  }
}

TEST(Numbers, GroupsThatAreNoThousandsAreRefused) {
  for (const char* text : {"1,23", "12,34,567.5", "1,2345", ",123", "1,,234",
                           "1 234,567", "1.2.3", "", "-", "1,234.5.6", "nan"}) {
    EXPECT_EQ(ParseDecimal(text, Decimal::kPoint), std::nullopt) << text;
  }
  for (const char* text : {"1.23", "1.234.56", "1,2,3", "inf", "1e"}) {
    EXPECT_EQ(ParseDecimal(text, Decimal::kComma), std::nullopt) << text;
  }
}

struct Guessed {
  Decimal decimal;
  std::string doubt;
  bool operator==(const Guessed&) const = default;
};

Guessed Guess(const std::vector<std::string>& cells, Delimiter delimiter) {
  DecimalGuess guess;
  for (const std::string& cell : cells) guess.Add(cell);
  return {guess.Decide(delimiter), guess.Doubt(delimiter)};
}

TEST(Numbers, OneCellThatIsCertainDecides) {
  constexpr auto kSemicolon = Delimiter::kSemicolon;
  EXPECT_EQ(Guess({"1.234", "1.234,5"}, kSemicolon),
            (Guessed{Decimal::kComma, ""}));
  EXPECT_EQ(Guess({"1.234", "1.5"}, kSemicolon),
            (Guessed{Decimal::kPoint, ""}));
  EXPECT_EQ(Guess({"1,234", "0,500"}, Delimiter::kTab),
            (Guessed{Decimal::kComma, ""}));
  EXPECT_EQ(Guess({"1,234", "1,234.5"}, Delimiter::kTab),
            (Guessed{Decimal::kPoint, ""}));
  EXPECT_EQ(Guess({"1,234,567", "5"}, kSemicolon),
            (Guessed{Decimal::kPoint, ""}));
}

TEST(Numbers, WhereNothingDecidesTheDelimiterDoesAndADoubtIsNamed) {
  EXPECT_EQ(Guess({"10,000", "11,276"}, Delimiter::kSemicolon),
            (Guessed{Decimal::kComma, "10,000"}));
  EXPECT_EQ(Guess({"10,000", "11,276", "0,500"}, Delimiter::kSemicolon),
            (Guessed{Decimal::kComma, ""}));
  EXPECT_EQ(Guess({"10,000", "999"}, Delimiter::kComma),
            (Guessed{Decimal::kPoint, ""}));
  EXPECT_EQ(Guess({"10,000", "11,276"}, Delimiter::kTab),
            (Guessed{Decimal::kComma, "10,000"}));
  EXPECT_EQ(Guess({"10,000", "999"}, Delimiter::kTab),
            (Guessed{Decimal::kPoint, "10,000"}));
  EXPECT_EQ(Guess({"1.020", "950"}, Delimiter::kSemicolon),
            (Guessed{Decimal::kPoint, "1.020"}));
  EXPECT_EQ(Guess({"10.000", "11.276"}, Delimiter::kSemicolon),
            (Guessed{Decimal::kPoint, "10.000"}));
}

TEST(Numbers, ExactNumbersReadBackAsTheyWere) {
  for (const float number :
       {12345635.0F, 0.1F, -1e-8F, 16777216.0F, 3.4e38F, 1.17549435e-38F, 0.0F,
        123456.789F, std::numeric_limits<float>::denorm_min()}) {
    EXPECT_EQ(std::strtof(ExactNumber(number).c_str(), nullptr), number);
  }
  EXPECT_EQ(ExactNumber(12345635), "12345635");
  EXPECT_EQ(ExactNumber(0.1F), "0.1");
}

}  // namespace
}  // namespace heed
