#include "heed/metrics/entities.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

using Sentence = std::vector<std::string>;

Sentence Words(std::string_view text) {
  const auto words = SplitWhitespace(text);
  return {words.begin(), words.end()};
}

/// Expected counts are the output of conlleval for these columns.
TEST(ScoreTags, CountsEntitiesWithTheRightPlaceAndType) {
  const std::vector<Sentence> gold = {Words("B-LOC I-LOC O B-PER O"),
                                      Words("B-PER I-PER O"), Words("B-ORG O")};
  const std::vector<Sentence> predicted = {
      Words("B-LOC I-LOC O I-PER O"), Words("B-PER O O"), Words("B-LOC B-LOC")};
  const TaggingScore score = ScoreTags(gold, predicted);
  EXPECT_EQ(score.entities.gold, 4);
  EXPECT_EQ(score.entities.predicted, 5);
  EXPECT_EQ(score.entities.correct, 2);
  EXPECT_DOUBLE_EQ(score.entities.Precision(), 40);
  EXPECT_DOUBLE_EQ(score.entities.Recall(), 50);
  EXPECT_NEAR(score.entities.F1(), 44.44, 0.005);
  ASSERT_EQ(score.types.size(), 3U);
  EXPECT_EQ(score.types.at("LOC").correct, 1);
  EXPECT_EQ(score.types.at("LOC").predicted, 3);
  EXPECT_EQ(score.types.at("PER").gold, 2);
  EXPECT_EQ(score.types.at("PER").correct, 1);
  EXPECT_DOUBLE_EQ(score.types.at("ORG").F1(), 0);
  EXPECT_DOUBLE_EQ(score.WordAccuracy(), 60);
  EXPECT_EQ(score.correct_sentences, 0);
}

TEST(ScoreTags, AnEntityDoesNotReachIntoTheNextSentence) {
  const std::vector<Sentence> two = {Words("B-LOC"), Words("I-LOC")};
  EXPECT_EQ(ScoreTags(two, two).entities.correct, 2);
}

TEST(ScoreTags, OfEqualTagsIs100) {
  const std::vector<Sentence> gold = {Words("B-LOC I-LOC"), Words("O")};
  const TaggingScore score = ScoreTags(gold, gold);
  EXPECT_DOUBLE_EQ(score.entities.F1(), 100);
  EXPECT_DOUBLE_EQ(score.WordAccuracy(), 100);
  EXPECT_DOUBLE_EQ(score.SentenceAccuracy(), 100);
}

TEST(ScoreTags, OverNoExampleThereIsNoFigure) {
  const TaggingScore nothing = ScoreTags({}, {});
  EXPECT_TRUE(std::isnan(nothing.entities.F1()));
  EXPECT_TRUE(std::isnan(nothing.WordAccuracy()));
  EXPECT_TRUE(std::isnan(nothing.SentenceAccuracy()));
  const std::vector<Sentence> gold = {Words("B-PER")};
  const std::vector<Sentence> predicted = {Words("O")};
  const TaggingScore missed = ScoreTags(gold, predicted);
  EXPECT_TRUE(std::isnan(missed.entities.Precision()));
  EXPECT_EQ(missed.entities.Recall(), 0);
  EXPECT_EQ(missed.entities.F1(), 0);
}

TEST(ScoreTags, EntitiesOfDifferentSchemesAreCompared) {
  const std::vector<Sentence> gold = {Words("PER_B PER_I O LOC_S")};
  const std::vector<Sentence> predicted = {Words("B-PER L-PER O U-ORG")};
  const TaggingScore score =
      ScoreTags(gold, predicted, {TagForm::kSuffix, '_'}, {});
  EXPECT_EQ(score.entities.gold, 2);
  EXPECT_EQ(score.entities.predicted, 2);
  EXPECT_EQ(score.entities.correct, 1);
}

TEST(ScoreTags, RefusesDifferentNumbers) {
  const std::vector<Sentence> one = {Words("O O")};
  const std::vector<Sentence> shorter = {Words("O")};
  EXPECT_THROW(ScoreTags(one, {}), ShapeError);
  EXPECT_THROW(ScoreTags(one, shorter), ShapeError);
}

}  // namespace
}  // namespace heed
