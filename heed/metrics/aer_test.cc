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

AlignmentScore Score(const std::string& hypothesis, const std::string& gold) {
  const std::vector<AlignmentLinks> found = {
      ParseAlignment(hypothesis, "h", 1)};
  const std::vector<GoldAlignment> wanted = {ParseGoldAlignment(gold, "g", 1)};
  return ScoreAlignments(found, wanted);
}

TEST(ParseAlignment, ReadsSourceThenTarget) {
  EXPECT_EQ(ParseAlignment(" 0-0  12-3\t1-2 ", "f", 1),
            (AlignmentLinks{{0, 0}, {1, 2}, {12, 3}}));
  EXPECT_TRUE(ParseAlignment("", "f", 1).empty());
}

TEST(FormatAlignment, WritesWhatParseReadsInTheOrderOfTheTarget) {
  const AlignmentLinks links = {{0, 2}, {1, 0}, {3, 0}};
  EXPECT_EQ(FormatAlignment(links), "1-0 3-0 0-2");
  EXPECT_EQ(ParseAlignment(FormatAlignment(links), "f", 1), links);
  EXPECT_EQ(FormatAlignment({}), "");
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

TEST(ScoreAlignments, PerfectAlignmentHasNoErrors) {
  const AlignmentScore score = Score("0-0 1-1", "0-0 1-1");
  EXPECT_DOUBLE_EQ(score.error_rate, 0);
  EXPECT_DOUBLE_EQ(score.precision, 1);
  EXPECT_DOUBLE_EQ(score.recall, 1);
}

TEST(ScoreAlignments, PossibleLinksCostNothing) {
  EXPECT_DOUBLE_EQ(Score("0-0 1-2", "0-0 1?2 1?1").error_rate, 0.0);
}

TEST(ScoreAlignments, CountsWrongAndMissingLinks) {
  // A = {00, 12, 33}, S = {00, 11}, P adds 12.
  const AlignmentScore score = Score("0-0 1-2 3-3", "0-0 1-1 1?2");
  EXPECT_DOUBLE_EQ(score.error_rate, 1.0 - 3.0 / 5.0);
  EXPECT_DOUBLE_EQ(score.precision, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(score.recall, 1.0 / 2.0);
}

TEST(ScoreAlignments, PoolsLinksOverSentences) {
  const std::vector<AlignmentLinks> found = {{{0, 0}},
                                             {{0, 1}, {1, 1}, {2, 2}}};
  const std::vector<GoldAlignment> gold = {{{{0, 0}}, {{0, 0}}},
                                           {{{0, 0}}, {{0, 0}}}};
  const AlignmentScore score = ScoreAlignments(found, gold);
  EXPECT_DOUBLE_EQ(score.error_rate, 1.0 - 2.0 / 6.0);
  EXPECT_DOUBLE_EQ(score.precision, 1.0 / 4.0);
  EXPECT_DOUBLE_EQ(score.recall, 1.0 / 2.0);
}

TEST(ScoreAlignments, NothingToAlignIsNoError) {
  EXPECT_DOUBLE_EQ(ScoreAlignments({}, {}).error_rate, 0.0);
  EXPECT_DOUBLE_EQ(Score("", "").error_rate, 0.0);
  EXPECT_DOUBLE_EQ(Score("0-0", "").precision, 0.0);
  EXPECT_DOUBLE_EQ(Score("", "0-0").recall, 0.0);
}

TEST(ScoreAlignments, DifferentCountsAreAnError) {
  const std::vector<AlignmentLinks> found(2);
  const std::vector<GoldAlignment> gold(1);
  EXPECT_THROW(ScoreAlignments(found, gold), ShapeError);
}

}  // namespace
}  // namespace heed
