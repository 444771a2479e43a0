#include "heed/metrics/perplexity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace heed {
namespace {

TEST(TextSize, CountsLineEndsAsWordsAndCharacters) {
  const TextSize size =
      MeasureText(std::vector<std::string>{"a für", "", " ", "x"});
  EXPECT_EQ(size.lines, 2);
  EXPECT_EQ(size.words, 3 + 2);
  EXPECT_EQ(size.characters, 6 + 2);
}

TEST(LanguageScore, OfAUniformChoiceIsTheNumberOfChoices) {
  LanguageScore score;
  score.tokens = 10;
  score.nll = 10 * std::log(8);  // three bits each
  score.text = {1, 5, 20};
  EXPECT_NEAR(score.perplexity(), 8, 1e-12);
  EXPECT_NEAR(score.word_perplexity(), 64, 1e-10);
  EXPECT_NEAR(score.bits_per_character(), 1.5, 1e-12);
}

TEST(LanguageScore, OfNothingIsFinite) {
  const LanguageScore score;
  EXPECT_EQ(score.loss(), 0);
  EXPECT_EQ(score.perplexity(), 1);
  EXPECT_EQ(score.bits_per_character(), 0);
}

}  // namespace
}  // namespace heed
