#include "heed/metrics/chrf.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/base/errors.h"

namespace heed {
namespace {

using Lines = std::vector<std::string>;

double Chrf(const Lines& hypotheses, const Lines& references) {
  return CorpusChrf(hypotheses, references).score;
}

TEST(Chrf, PerfectMatchIs100) {
  EXPECT_NEAR(Chrf({"Straße 東京 🙂"}, {"Straße 東京 🙂"}), 100.0,
              1e-9);
}

TEST(Chrf, WhiteSpaceDoesNotCount) {
  EXPECT_NEAR(Chrf({"ab c\xc2\xa0"
                    "d"},
                   {"a bcd"}),
              100.0, 1e-9);
}

TEST(Chrf, WeighsRecallFourTimes) {
  // P = 1; R = (3/8 + 2/7 + 1/6) / 3 over the three orders that occur.
  const double r = (3.0 / 8 + 2.0 / 7 + 1.0 / 6) / 3;
  EXPECT_NEAR(Chrf({"abc"}, {"abcdefgh"}), 100.0 * 5 * r / (4 + r), 1e-9);
}

TEST(Chrf, OrdersLongerThanTheReferenceAreLeftOut) {
  // Unigrams match 3 of 9 and of 4, bigrams 1 of 7 and of 2. The short pair has
  // no bigrams.
  EXPECT_NEAR(Chrf({"abcdefgh", "x"}, {"ab", "xy"}), 47.169811, 1e-6);
}

TEST(Chrf, CharactersAreCodePointsNotBytes) {
  // ä and ö share their first byte but no character.
  EXPECT_DOUBLE_EQ(Chrf({"ä"}, {"ö"}), 0.0);
}

TEST(Chrf, EmptyTextIsZeroAndNeverNan) {
  EXPECT_DOUBLE_EQ(Chrf({""}, {"abc"}), 0.0);
  EXPECT_DOUBLE_EQ(Chrf({"abc"}, {""}), 0.0);
  EXPECT_DOUBLE_EQ(Chrf({}, {}), 0.0);
}

TEST(Chrf, SignatureIsSacreBleus) {
  EXPECT_EQ(
      CorpusChrf({}, {}).signature.rfind(
          "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:heed-", 0),
      0u);
}

TEST(Chrf, DifferentCountsAreAnError) {
  EXPECT_THROW(Chrf({"a", "b"}, {"a"}), ShapeError);
}

}  // namespace
}  // namespace heed
