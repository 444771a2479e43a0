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

TEST(TextSize, IsThatOfTheNormalForm) {
  const std::vector<std::string> plain = {"a caf\u00E9"};
  const std::vector<std::string> other = {"\uFEFFa\u00A0cafe\u0301"};
  EXPECT_EQ(MeasureText(other).words, MeasureText(plain).words);
  EXPECT_EQ(MeasureText(other).characters, MeasureText(plain).characters);
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

TEST(LanguageScore, OfNothingIsNoFigure) {
  const LanguageScore score;
  EXPECT_TRUE(std::isnan(score.loss()));
  EXPECT_TRUE(std::isnan(score.perplexity()));
  EXPECT_TRUE(std::isnan(score.bits_per_character()));
}

}  // namespace
}  // namespace heed
