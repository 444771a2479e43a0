#include "heed/metrics/error_rate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/rng.h"

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

int64_t DistanceByTable(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int64_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), int64_t{0});
  for (const int x : a) {
    int64_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const int64_t substituted = diagonal + (x == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

TEST(EditDistance, EqualsThatOfTheTableForLongSequences) {
  Rng rng(3);
  const auto draw = [&rng](uint64_t longest, uint64_t kinds) {
    std::vector<int> sequence(rng.Below(longest + 1));
    for (int& x : sequence) x = static_cast<int>(rng.Below(kinds));
    return sequence;
  };
  for (int i = 0; i < 300; ++i) {
    const uint64_t kinds = 1 + rng.Below(i % 2 == 0 ? 4 : 300);
    const std::vector<int> a = draw(i % 3 == 0 ? 70 : 260, kinds);
    std::vector<int> b = draw(200, kinds);
    if (i % 5 == 0) {  // similar sequences
      b = a;
      for (int& x : b) x = rng.Below(8) == 0 ? 7 : x;
    }
    ASSERT_EQ(EditDistance(a, b), DistanceByTable(a, b)) << i;
    ASSERT_EQ(EditDistance(b, a), DistanceByTable(a, b)) << i;
  }
}

TEST(EditDistance, OfDocumentsOnOneLine) {
  std::vector<int> a(100'000);
  std::iota(a.begin(), a.end(), 0);
  std::vector<int> b = a;
  b.erase(b.begin() + 5, b.begin() + 12);
  b[70'000] = -1;
  EXPECT_EQ(EditDistance(a, b), 8);
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

TEST(ErrorRate, CanonicallyEqualTextsAreEqual) {
  const Lines a = {"caf\u00E9 wo\u00ADman"};
  const Lines b = {"cafe\u0301\u00A0woman"};
  EXPECT_EQ(WordErrorRate(a, b), 0);
  EXPECT_EQ(CharacterErrorRate(a, b), 0);
  EXPECT_EQ(ExactMatchRate(a, b), 1);
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
  // One edit to "a b x" (3 words), two to the others; then none (1 word).
  EXPECT_DOUBLE_EQ(
      WordErrorRate(Lines{"a b c", "d"},
                    Alternatives{{"a", "a b x", "x b x"}, {"e e", "d"}}),
      1.0 / 4);
}

TEST(ErrorRate, OfEquallyNearReferencesTheShortestCounts) {
  // One edit to either reference, of one or two words.
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
