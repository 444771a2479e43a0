#include "heed/metrics/entities.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

using Sentence = std::vector<std::string>;

Sentence Words(std::string_view text) {
  const auto words = SplitWhitespace(text);
  return {words.begin(), words.end()};
}

std::vector<Entity> Read(std::string_view tags) {
  return ReadEntities(Words(tags));
}

TEST(ReadEntities, BioSpansStandFromBToTheLastI) {
  EXPECT_EQ(Read("O B-LOC I-LOC O B-PER"),
            (std::vector<Entity>{{1, 3, "LOC"}, {4, 5, "PER"}}));
  EXPECT_EQ(Read("B-LOC B-LOC I-LOC"),
            (std::vector<Entity>{{0, 1, "LOC"}, {1, 3, "LOC"}}));
  EXPECT_TRUE(Read("O O").empty());
  EXPECT_TRUE(Read("").empty());
}

TEST(ReadEntities, AnInsideTagThatContinuesNothingBeginsAnEntity) {
  EXPECT_EQ(Read("I-LOC I-LOC O I-PER"),
            (std::vector<Entity>{{0, 2, "LOC"}, {3, 4, "PER"}}));
  EXPECT_EQ(Read("B-LOC I-PER I-PER"),
            (std::vector<Entity>{{0, 1, "LOC"}, {1, 3, "PER"}}));
}

TEST(ReadEntities, IobesEndsAtEAndS) {
  EXPECT_EQ(Read("S-LOC B-PER I-PER E-PER E-PER I-PER O"),
            (std::vector<Entity>{
                {0, 1, "LOC"}, {1, 4, "PER"}, {4, 5, "PER"}, {5, 6, "PER"}}));
  EXPECT_EQ(Read("S-LOC S-LOC I-LOC"),
            (std::vector<Entity>{{0, 1, "LOC"}, {1, 2, "LOC"}, {2, 3, "LOC"}}));
}

TEST(ReadEntities, ATypeMayHoldHyphens) {
  EXPECT_EQ(Read("B-creative-work I-creative-work"),
            (std::vector<Entity>{{0, 2, "creative-work"}}));
}

TEST(SpellEntities, TellsEntityTagsFromOtherTags) {
  EXPECT_TRUE(SpellEntities({{Words("O B-LOC I-LOC"), Words("S-X E-Y")}}));
  EXPECT_FALSE(SpellEntities({{Words("O B-LOC"), Words("NOUN")}}));
  EXPECT_FALSE(SpellEntities({{Words("B")}}));
  EXPECT_FALSE(SpellEntities({{Words("X-LOC")}}));
}

/// The counts that conlleval prints for the same columns.
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

TEST(ScoreTags, OfNothingIsZeroAndNotNan) {
  const TaggingScore score = ScoreTags({}, {});
  EXPECT_EQ(score.entities.F1(), 0);
  EXPECT_EQ(score.WordAccuracy(), 0);
  EXPECT_EQ(score.SentenceAccuracy(), 0);
}

TEST(ScoreTags, RefusesDifferentNumbers) {
  const std::vector<Sentence> one = {Words("O O")};
  const std::vector<Sentence> shorter = {Words("O")};
  EXPECT_THROW(ScoreTags(one, {}), ShapeError);
  EXPECT_THROW(ScoreTags(one, shorter), ShapeError);
}

}  // namespace
}  // namespace heed
