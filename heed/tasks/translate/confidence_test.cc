#include "heed/tasks/translate/confidence.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed::translate {
namespace {

constexpr VocabularyKind kPieces = VocabularyKind::kUnigram;

/// "Grüne Äpfel!" in four pieces.
Translation GreenApples() {
  Translation apples;
  apples.text = "Grüne Äpfel!";
  apples.target_pieces = {"\u2581Grü", "ne", "\u2581Äpfel", "!", "</s>"};
  apples.log_probabilities = {-0.2F, -0.4F, -1, -2, -9};
  return apples;
}

TEST(TranslationConfidence, WithoutAModelIsTheMeanLogProbability) {
  const TranslationConfidence found =
      ConfidenceOf(GreenApples(), kPieces, std::nullopt);
  ASSERT_EQ(found.words.size(), 2U);
  EXPECT_NEAR(found.words[0].confidence, std::exp(-0.3), 1e-6);
  EXPECT_NEAR(found.words[1].confidence, std::exp(-1.5), 1e-6);
  EXPECT_NEAR(found.confidence, std::exp(-0.9), 1e-6);
}

TEST(TranslationConfidence, OfAQualityModelUsesTheFeaturesOfTheWord) {
  // z = mean + 2 min + 3 pieces + 4 mean of the sentence (-0.9) + 1.
  const QualityModel model = {{1, 1, 1, 1}, {}, {1, 2, 3, 4}, 1};
  const TranslationConfidence found =
      ConfidenceOf(GreenApples(), kPieces, model);
  ASSERT_EQ(found.words.size(), 2U);
  const double first = 1 / (1 + std::exp(-0.3 - 0.8 + 6 - 3.6 + 1));
  const double second = 1 / (1 + std::exp(-1.5 - 4 + 6 - 3.6 + 1));
  EXPECT_NEAR(found.words[0].confidence, first, 1e-6);
  EXPECT_NEAR(found.words[1].confidence, second, 1e-6);
  EXPECT_NEAR(found.confidence, std::sqrt(first * second), 1e-6);
}

TEST(TranslationConfidence, WordsHaveCharacterOffsets) {
  const Translation apples = GreenApples();
  const nlohmann::ordered_json words =
      WordsJson(apples.text, ConfidenceOf(apples, kPieces, std::nullopt).words);
  ASSERT_EQ(words.size(), 2U);
  EXPECT_EQ(words[0]["text"], "Grüne");
  EXPECT_EQ(words[0]["start"], 0);
  EXPECT_EQ(words[0]["end"], 5);
  EXPECT_EQ(words[1]["text"], "Äpfel!");
  EXPECT_EQ(words[1]["start"], 6);
  EXPECT_EQ(words[1]["end"], 12);
}

TEST(TranslationConfidence, WordsAndCharactersFormWords) {
  Translation words;
  words.text = "a b";
  words.target_pieces = {"a", "b", "</s>"};
  words.log_probabilities = {-1, -2, -3};
  EXPECT_EQ(
      ConfidenceOf(words, VocabularyKind::kWords, std::nullopt).words.size(),
      2U);
  words.target_pieces = {"a", " ", "b", "</s>"};
  words.log_probabilities = {-1, -2, -3, -4};
  const TranslationConfidence characters =
      ConfidenceOf(words, VocabularyKind::kCharacters, std::nullopt);
  ASSERT_EQ(characters.words.size(), 2U);
  EXPECT_NEAR(characters.words[1].confidence, std::exp(-2.5), 1e-6);
}

TEST(TranslationConfidence, OfNothingIsCertain) {
  const TranslationConfidence found =
      ConfidenceOf(Translation(), kPieces, std::nullopt);
  EXPECT_EQ(found.confidence, 1);
  EXPECT_TRUE(found.words.empty());
}

}  // namespace
}  // namespace heed::translate
