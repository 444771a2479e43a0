#include "heed/metrics/symmetrize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/rng.h"

namespace heed {
namespace {

AlignmentLinks Links(const char* text) { return ParseAlignment(text, "f", 1); }

AlignmentLinks By(const char* method, const char* forward,
                  const char* backward) {
  return Symmetrize(Links(forward), Links(backward),
                    ParseSymmetrization(method));
}

bool Includes(const AlignmentLinks& all, const AlignmentLinks& some) {
  return std::ranges::includes(all, some);
}

TEST(Symmetrize, SetsAreWhatTheyAreCalled) {
  const char* f = "0-0 1-1 2-1";
  const char* b = "0-0 2-1 2-2";
  EXPECT_EQ(By("none", f, b), Links(f));
  EXPECT_EQ(By("intersection", f, b), Links("0-0 2-1"));
  EXPECT_EQ(By("union", f, b), Links("0-0 1-1 2-1 2-2"));
}

TEST(Symmetrize, GrowsToNeighboursThatGiveAWordItsFirstLink) {
  // F ∩ B = {00}. 1-1 touches it diagonally and is added; then 2-1 touches 1-1
  // and gives source word 2 its link. 5-5 touches nothing.
  EXPECT_EQ(By("grow-diag", "0-0 1-1 5-5", "0-0 2-1"), Links("0-0 1-1 2-1"));
  // 0-1 touches 0-0 and 1-1, but both of its words have a link by then.
  EXPECT_EQ(By("grow-diag", "0-0 1-1 0-1", "0-0 1-1"), Links("0-0 1-1"));
}

TEST(Symmetrize, FinalTakesFarLinksOfAFreeWord) {
  // 0-5: source word 0 has a link, target word 5 has none.
  const char* f = "0-0 0-5";
  const char* b = "0-0 9-9";
  EXPECT_EQ(By("grow-diag", f, b), Links("0-0"));
  EXPECT_EQ(By("grow-diag-final", f, b), Links("0-0 0-5 9-9"));
  EXPECT_EQ(By("grow-diag-final-and", f, b), Links("0-0 9-9"));
}

TEST(Symmetrize, FinalTakesForwardLinksFirst) {
  // Both links would give source word 4 its first link; -and adds only the
  // first.
  EXPECT_EQ(By("grow-diag-final-and", "0-0 4-2", "0-0 4-7"), Links("0-0 4-2"));
  EXPECT_EQ(By("grow-diag-final", "0-0 4-2", "0-0 4-7"), Links("0-0 4-2 4-7"));
}

TEST(Symmetrize, ASentenceByHand) {
  // das haus ist nicht sehr groß / the house is not very big: both agree on
  // the first three words, F lacks the fifth, B links the fourth wrongly.
  EXPECT_EQ(By("grow-diag-final-and", "0-0 1-1 2-2 3-3 5-5",
               "0-0 1-1 2-2 3-5 4-4 5-5"),
            Links("0-0 1-1 2-2 3-3 4-4 5-5"));
}

TEST(Symmetrize, EmptySidesStayEmpty) {
  for (const char* method : SymmetrizationNames()) {
    EXPECT_TRUE(By(method, "", "").empty()) << method;
  }
  EXPECT_TRUE(By("grow-diag", "0-0", "1-1").empty());
  EXPECT_EQ(By("grow-diag-final-and", "0-0", ""), Links("0-0"));
}

TEST(Symmetrize, EachMethodLiesBetweenIntersectionAndUnion) {
  Rng rng(7);
  for (int round = 0; round < 200; ++round) {
    AlignmentLinks forward;
    AlignmentLinks backward;
    const auto words = 1 + rng.Below(8);
    const auto word = [&] { return static_cast<int64_t>(rng.Below(words)); };
    for (uint64_t i = 0; i < words; ++i) {
      forward.insert({word(), static_cast<int64_t>(i)});
      backward.insert({static_cast<int64_t>(i), word()});
    }
    std::vector<AlignmentLinks> grown;  // from the fewest links to the most
    for (const char* method :
         {"intersection", "grow-diag", "grow-diag-final-and", "grow-diag-final",
          "union"}) {
      grown.push_back(
          Symmetrize(forward, backward, ParseSymmetrization(method)));
    }
    EXPECT_TRUE(Includes(grown[1], grown[0]));
    EXPECT_TRUE(Includes(grown[2], grown[1]));
    EXPECT_TRUE(Includes(grown[3], grown[1]));
    EXPECT_TRUE(Includes(grown[4], grown[2]));
    EXPECT_TRUE(Includes(grown[4], grown[3]));
    // Symmetrising a direction with itself changes nothing.
    EXPECT_EQ(Symmetrize(forward, forward, Symmetrization::kGrowDiagFinalAnd),
              forward);
    // The result does not depend on which side is the source, unless order
    // decides.
    EXPECT_EQ(Reversed(Symmetrize(Reversed(backward), Reversed(forward),
                                  Symmetrization::kUnion)),
              grown[4]);
    EXPECT_EQ(Reversed(Reversed(forward)), forward);
  }
}

TEST(Symmetrize, NamesAreThoseOfTheField) {
  EXPECT_EQ(ParseSymmetrization("grow-diag-final-and"),
            Symmetrization::kGrowDiagFinalAnd);
  EXPECT_EQ(SymmetrizationNames().size(), 6);
  EXPECT_THROW(ParseSymmetrization("gdfa"), ConfigError);
}

TEST(AlignmentAgreement, IsTheShareOfCommonLinks) {
  const std::vector<AlignmentLinks> f = {Links("0-0 1-1"), Links("0-0")};
  const std::vector<AlignmentLinks> b = {Links("0-0 2-1"), Links("1-0")};
  EXPECT_DOUBLE_EQ(AlignmentAgreement(f, b), 2.0 / 6.0);
  EXPECT_DOUBLE_EQ(AlignmentAgreement(f, f), 1.0);
  EXPECT_DOUBLE_EQ(AlignmentAgreement({}, {}), 1.0);
  EXPECT_THROW(AlignmentAgreement(f, {}), ShapeError);
}

}  // namespace
}  // namespace heed
