#include "heed/metrics/ngrams.h"

#include <gtest/gtest.h>

#include "heed/base/text.h"

namespace heed {
namespace {

TEST(Ngrams, SpanTheirUnits) {
  const NgramCounts words = CountNgrams(SplitWhitespace("a b a b"), 2);
  EXPECT_EQ(words, (NgramCounts{{"a b", 2}, {"b a", 1}}));
  const NgramCounts characters = CountNgrams(Utf8Characters("äöä"), 1);
  EXPECT_EQ(characters, (NgramCounts{{"ä", 2}, {"ö", 1}}));
}

TEST(Ngrams, ShortSequencesHaveNone) {
  EXPECT_TRUE(CountNgrams(SplitWhitespace("a b"), 3).empty());
  EXPECT_EQ(NgramTotal(2, 3), 0);
  EXPECT_EQ(NgramTotal(3, 3), 1);
}

TEST(Ngrams, CommonOnesAreClipped) {
  EXPECT_EQ(CommonNgrams({{"a", 3}, {"b", 1}}, {{"a", 2}, {"c", 5}}), 2);
}

}  // namespace
}  // namespace heed
