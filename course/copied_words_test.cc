#include "course/copied_words.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

TEST(CopiedWords, TheLongSentenceNamesItsPeopleAtBothEnds) {
  const auto words = SplitWhitespace(LongSentence());
  ASSERT_EQ(words.size(), 97u);
  for (const MarkedWords& marked : MarkedInLongSentence()) {
    std::string text;
    for (int64_t t = marked.begin; t < marked.end; ++t) {
      text += text.empty() ? "" : " ";
      text += At(words, t);
    }
    EXPECT_EQ(text, marked.words);
  }
}

TEST(CopiedWords, CopiesHaveLengthsInTheRangeAndWordsOfTheLongSentence) {
  const auto of_long = SplitWhitespace(LongSentence());
  const std::set<std::string_view> known(of_long.begin(), of_long.end());
  const ParallelText text = MakeCopies(300, 2, 4, 5);
  EXPECT_EQ(text.source, text.target);
  EXPECT_EQ(text.source, MakeCopies(300, 2, 4, 5).source);
  EXPECT_NE(text.source, MakeCopies(300, 2, 4, 6).source);
  std::set<size_t> lengths;
  std::set<std::string_view> seen;
  for (const std::string& line : text.source) {
    const auto words = SplitWhitespace(line);
    lengths.insert(words.size());
    seen.insert(words.begin(), words.end());
  }
  EXPECT_EQ(lengths, (std::set<size_t>{2, 3, 4}));
  EXPECT_EQ(seen, known);
  EXPECT_THROW(MakeCopies(1, 0, 4, 1), ConfigError);
  EXPECT_THROW(MakeCopies(1, 5, 4, 1), ConfigError);
}

TEST(CopiedWords, AWordIsInPlaceOrElsewhereBesideItsNeighbourOrLost) {
  constexpr Returned kLost = Returned::kLost;
  constexpr Returned kElsewhere = Returned::kElsewhere;
  constexpr Returned kInPlace = Returned::kInPlace;
  using Marks = std::vector<Returned>;
  EXPECT_EQ(CameBack("a b c d", "a c c"),
            (Marks{kInPlace, kLost, kInPlace, kLost}));
  EXPECT_EQ(CameBack("a b c d", "x a b d c"),
            (Marks{kElsewhere, kElsewhere, kLost, kInPlace}));
  EXPECT_EQ(CameBack("a b", ""), (Marks{kLost, kLost}));
}

TEST(CopiedWords, TheShareIsTheMeanOfThePlaces) {
  const std::vector<std::string> sentences = {"a b", "c d"};
  const std::vector<std::string> written = {"a x", "c d e"};
  const CopiedShare share = ShareCopied(sentences, written);
  EXPECT_EQ(share.by_position, (std::vector<double>{100, 50}));
  EXPECT_DOUBLE_EQ(share.words, 75);
  const std::vector<std::string> uneven = {"a b", "c"};
  EXPECT_THROW(ShareCopied(uneven, written), ShapeError);
  EXPECT_THROW(ShareCopied({}, {}), ShapeError);
}

TEST(CopiedWords, TheWindowEndsWhereTheShareFalls) {
  const std::vector<double> lengths = {10, 20, 40};
  const auto window = [&](std::vector<double> shares) {
    return ReferenceWindow(lengths, shares, 90);
  };
  EXPECT_DOUBLE_EQ(window({100, 95, 85}).value(), 30);
  EXPECT_DOUBLE_EQ(window({80, 95, 85}).value(), 10);
  EXPECT_FALSE(window({100, 95, 90}).has_value());
}

}  // namespace
}  // namespace heed
