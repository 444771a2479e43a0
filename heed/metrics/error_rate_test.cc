#include "heed/metrics/error_rate.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"

namespace heed {
namespace {

using Lines = std::vector<std::string>;

int64_t Distance(const std::string& a, const std::string& b) {
  return EditDistance(a, b);
}

TEST(EditDistance, CountsTheFewestEdits) {
  EXPECT_EQ(Distance("kitten", "sitting"), 3);
  EXPECT_EQ(Distance("flaw", "lawn"), 2);
  EXPECT_EQ(Distance("same", "same"), 0);
}

TEST(EditDistance, FromOrToNothingIsTheLength) {
  EXPECT_EQ(Distance("", "abc"), 3);
  EXPECT_EQ(Distance("abc", ""), 3);
  EXPECT_EQ(Distance("", ""), 0);
}

TEST(EditDistance, TakesAnyTokens) {
  EXPECT_EQ(EditDistance(std::vector<int>{1, 2, 3}, std::vector<int>{1, 3, 4}),
            2);
}

TEST(ErrorRate, WordsArePooledOverSentences) {
  // One substitution and one deletion in 2 + 3 words.
  EXPECT_DOUBLE_EQ(WordErrorRate(Lines{"a x", "c d"}, Lines{"a b", "c  d e"}),
                   0.4);
}

TEST(ErrorRate, CharactersAreCodePoints) {
  EXPECT_DOUBLE_EQ(CharacterErrorRate(Lines{"für"}, Lines{"fur"}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(CharacterErrorRate(Lines{"東"}, Lines{"東京"}), 0.5);
}

TEST(ErrorRate, EmptyReferencesGiveAFiniteRate) {
  EXPECT_DOUBLE_EQ(WordErrorRate(Lines{""}, Lines{""}), 0.0);
  EXPECT_DOUBLE_EQ(WordErrorRate(Lines{"a b"}, Lines{""}), 2.0);
}

TEST(ExactMatch, IsTheShareOfEqualSentences) {
  EXPECT_DOUBLE_EQ(
      ExactMatchRate(Lines{"a", "b", "c", "d"}, Lines{"a", "b", "c", "x"}),
      0.75);
  EXPECT_DOUBLE_EQ(ExactMatchRate(Lines{}, Lines{}), 0.0);
}

using Alternatives = std::vector<References>;

TEST(ErrorRate, NearestOfSeveralReferencesCounts) {
  // One edit to "a b x" (of 3 words), two to the others; then none (of 1).
  EXPECT_DOUBLE_EQ(
      WordErrorRate(Lines{"a b c", "d"},
                    Alternatives{{"a", "a b x", "x b x"}, {"e e", "d"}}),
      1.0 / 4);
}

TEST(ErrorRate, OfEquallyNearReferencesTheShortestCounts) {
  // One edit to either, of two words or of one.
  for (const References& both : Alternatives{{"a b", "a"}, {"a", "a b"}}) {
    EXPECT_DOUBLE_EQ(WordErrorRate(Lines{"a x"}, Alternatives{both}), 1.0);
  }
}

TEST(ErrorRate, OneReferenceIsAsWithoutAlternatives) {
  const Lines hypotheses = {"a x", "c d", ""};
  const Lines references = {"a b", "c  d e", "f"};
  const Alternatives single = {{"a b"}, {"c  d e"}, {"f"}};
  EXPECT_EQ(WordErrorRate(hypotheses, single),
            WordErrorRate(hypotheses, references));
  EXPECT_EQ(ExactMatchRate(hypotheses, single),
            ExactMatchRate(hypotheses, references));
}

TEST(ExactMatch, AnyOfSeveralReferencesMayBeEqual) {
  EXPECT_DOUBLE_EQ(ExactMatchRate(Lines{"a", "b", "c"},
                                  Alternatives{{"x", "a"}, {"b"}, {"x", "y"}}),
                   2.0 / 3);
  EXPECT_DOUBLE_EQ(ExactMatchRate(Lines{}, Alternatives{}), 0.0);
}

TEST(ErrorRate, ItemWithoutReferenceIsAnError) {
  EXPECT_THROW(WordErrorRate(Lines{"a"}, Alternatives{{}}), ShapeError);
}

TEST(ErrorRate, DifferentCountsAreAnError) {
  EXPECT_THROW(WordErrorRate(Lines{"a"}, Alternatives{}), ShapeError);
  EXPECT_THROW(ExactMatchRate(Lines{"a"}, Alternatives{}), ShapeError);
  EXPECT_THROW(WordErrorRate(Lines{"a"}, Lines{}), ShapeError);
  EXPECT_THROW(CharacterErrorRate(Lines{"a"}, Lines{}), ShapeError);
  EXPECT_THROW(ExactMatchRate(Lines{"a"}, Lines{}), ShapeError);
}

}  // namespace
}  // namespace heed
