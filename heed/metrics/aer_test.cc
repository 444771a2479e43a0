#include "heed/metrics/aer.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/base/errors.h"

namespace heed {
namespace {

std::string MessageOf(void (*parse)()) {
  try {
    parse();
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

double Aer(const std::string& hypothesis, const std::string& gold) {
  const std::vector<AlignmentLinks> found = {
      ParseAlignment(hypothesis, "h", 1)};
  const std::vector<GoldAlignment> wanted = {ParseGoldAlignment(gold, "g", 1)};
  return AlignmentErrorRate(found, wanted);
}

TEST(ParseAlignment, ReadsSourceThenTarget) {
  EXPECT_EQ(ParseAlignment(" 0-0  12-3\t1-2 ", "f", 1),
            (AlignmentLinks{{0, 0}, {1, 2}, {12, 3}}));
  EXPECT_TRUE(ParseAlignment("", "f", 1).empty());
}

TEST(ParseAlignment, SureLinksArePossibleToo) {
  const GoldAlignment gold = ParseGoldAlignment("0-0 1?2", "f", 1);
  EXPECT_EQ(gold.sure, (AlignmentLinks{{0, 0}}));
  EXPECT_EQ(gold.possible, (AlignmentLinks{{0, 0}, {1, 2}}));
}

TEST(ParseAlignment, BadLinksNameTheirFileAndLine) {
  EXPECT_NE(MessageOf([] {
              ParseAlignment("0-0 1?2", "out.txt", 7);
            }).find("out.txt:7: '1?2'"),
            std::string::npos);
  EXPECT_NE(MessageOf([] {
              ParseGoldAlignment("0:1", "gold", 3);
            }).find("gold:3: '0:1'"),
            std::string::npos);
}

TEST(ParseAlignment, RefusesWhatIsNotTwoPositions) {
  for (const char* bad : {"1", "-", "1-", "-1", "1--1", "a-1", "1-2x", "1-2-3",
                          "99999999999999999999-0", "+1-2"}) {
    EXPECT_THROW(ParseAlignment(bad, "f", 1), FormatError) << bad;
    EXPECT_THROW(ParseGoldAlignment(bad, "f", 1), FormatError) << bad;
  }
}

TEST(AlignmentErrorRate, PerfectAlignmentIsZero) {
  EXPECT_DOUBLE_EQ(Aer("0-0 1-1", "0-0 1-1"), 0.0);
}

TEST(AlignmentErrorRate, PossibleLinksCostNothing) {
  EXPECT_DOUBLE_EQ(Aer("0-0 1-2", "0-0 1?2 1?1"), 0.0);
}

TEST(AlignmentErrorRate, CountsWrongAndMissingLinks) {
  // A = {00, 12, 33}, S = {00, 11}, P adds 12: 1 - (1 + 2) / (3 + 2).
  EXPECT_DOUBLE_EQ(Aer("0-0 1-2 3-3", "0-0 1-1 1?2"), 1.0 - 3.0 / 5.0);
}

TEST(AlignmentErrorRate, PoolsLinksOverSentences) {
  const std::vector<AlignmentLinks> found = {{{0, 0}},
                                             {{0, 1}, {1, 1}, {2, 2}}};
  const std::vector<GoldAlignment> gold = {{{{0, 0}}, {{0, 0}}},
                                           {{{0, 0}}, {{0, 0}}}};
  EXPECT_DOUBLE_EQ(AlignmentErrorRate(found, gold), 1.0 - 2.0 / 6.0);
}

TEST(AlignmentErrorRate, NothingToAlignIsZero) {
  EXPECT_DOUBLE_EQ(AlignmentErrorRate({}, {}), 0.0);
  EXPECT_DOUBLE_EQ(Aer("", ""), 0.0);
}

TEST(AlignmentErrorRate, DifferentCountsAreAnError) {
  const std::vector<AlignmentLinks> found(2);
  const std::vector<GoldAlignment> gold(1);
  EXPECT_THROW(AlignmentErrorRate(found, gold), ShapeError);
}

}  // namespace
}  // namespace heed
