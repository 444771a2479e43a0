#include "course/reversed_letters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heed {
namespace {

TEST(ReversedLetters, AreTheSameBackwardsWithoutALetterTwice) {
  const ParallelText text = ReversedLetters(50, 8, 3);
  ASSERT_EQ(text.source.size(), 50U);
  std::set<size_t> lengths;
  for (size_t i = 0; i < text.source.size(); ++i) {
    std::string back = text.source[i];
    std::ranges::reverse(back);
    EXPECT_EQ(text.target[i], back);
    std::string letters = back;
    std::erase(letters, ' ');
    EXPECT_EQ(std::set<char>(letters.begin(), letters.end()).size(),
              letters.size());
    EXPECT_GE(letters.size(), 3U);
    EXPECT_LE(letters.size(), 8U);
    lengths.insert(letters.size());
  }
  EXPECT_GT(lengths.size(), 3U);
}

TEST(ReversedLetters, DependOnTheSeedAlone) {
  EXPECT_EQ(ReversedLetters(20, 8, 1).source, ReversedLetters(20, 8, 1).source);
  EXPECT_NE(ReversedLetters(20, 8, 1).source, ReversedLetters(20, 8, 2).source);
}

/// Returns a segment with two target letters, three source letters and these
/// weights.
ExplanationSegment TwoLetters(const std::vector<float>& weights) {
  ExplanationSegment segment;
  segment.axes.push_back({.id = "source", .items = {"a", "b", "c"}});
  segment.axes.push_back({.id = "target", .items = {"c", "b"}});
  AttentionMap map;
  map.name = "attention";
  map.query = "target";
  map.heads = 1;
  map.query_size = 2;
  map.key_size = 3;
  map.weights = weights;
  segment.maps.push_back(std::move(map));
  for (int64_t t = 0; t < 2; ++t) {
    segment.targets.push_back({.item = t, .map = 0, .row = t});
  }
  return segment;
}

TEST(RepeatedItems, CountsTargetsWhoseLargestWeightIsOnTheSameItem) {
  const RepeatedItems both =
      CountRepeated(TwoLetters({.1F, .1F, .8F, .2F, .7F, .1F}));
  EXPECT_EQ(both.all, 2);
  EXPECT_EQ(both.found, 2);
  const RepeatedItems one =
      CountRepeated(TwoLetters({.1F, .1F, .8F, .6F, .3F, .1F}));
  EXPECT_EQ(one.found, 1);
}

TEST(RepeatedItems, LeavesOutWhatWasNotRead) {
  ExplanationSegment segment = TwoLetters({.1F, .1F, .8F, .2F, .7F, .1F});
  segment.axes[1].items[1] = "x";
  EXPECT_EQ(CountRepeated(segment).all, 1);
  segment.axes[0].items[2] = segment.axes[1].items[0] = "</s>";
  EXPECT_EQ(CountRepeated(segment).all, 0);
}

}  // namespace
}  // namespace heed
