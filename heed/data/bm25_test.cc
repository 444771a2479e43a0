#include "heed/data/bm25.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/errors.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

Strings Words(const std::string& text) { return SplitWords({&text, 1})[0]; }

TEST(SplitWords, FollowsUnicode) {
  EXPECT_EQ(Words("The CAR's 3.5 doors -- don't (open)!"),
            (Strings{"the", "car's", "3.5", "doors", "don't", "open"}));
  EXPECT_EQ(Words("Straße ÄRGER naïve"), (Strings{"straße", "ärger", "naïve"}));
  EXPECT_TRUE(Words(" ... \t").empty());
  EXPECT_TRUE(Words("").empty());
}

TEST(SplitWords, InvisibleDifferencesOfTextsAreNone) {
  EXPECT_EQ(Words("na\u00EFve woman"), Words("nai\u0308ve\u00A0wo\u00ADman"));
  const Strings texts = {"nai\u0308ve", "woman"};
  EXPECT_GT(Bm25Index(texts).Scores("na\u00EFve")[0], 0);
}

TEST(SplitWords, ScriptsWithoutSpacesAreDivided) {
  EXPECT_GT(Words("今日は天気がいい").size(), 1U);
}

TEST(Bm25, ScoresAreThoseOfTheFormula) {
  const Strings texts = {"cat cat dog", "dog", "bird of prey and of play"};
  const Bm25Index index(texts, {1.2, 0.75});
  const std::vector<double> scores = index.Scores("Cat, dog!");
  const double mean = (3 + 1 + 6) / 3.0;
  const auto term = [mean](double f, double length, double n) {
    return std::log(1 + (3 - n + 0.5) / (n + 0.5)) * f * 2.2 /
           (f + 1.2 * (0.25 + 0.75 * length / mean));
  };
  EXPECT_NEAR(scores[0], term(2, 3, 1) + term(1, 3, 2), 1e-12);
  EXPECT_NEAR(scores[1], term(1, 1, 2), 1e-12);
  EXPECT_EQ(scores[2], 0);
}

TEST(Bm25, AWordThatIsEverywhereNeverCountsAgainstAText) {
  const Strings texts = {"the a", "the b", "the c"};
  for (const double score : Bm25Index(texts).Scores("the")) {
    EXPECT_GT(score, 0);
  }
}

TEST(Bm25, RareWordsCountMoreThanCommonOnes) {
  const Strings texts = {"x common", "y common", "z rare"};
  const Bm25Index index(texts);
  EXPECT_GT(index.Scores("rare common")[2], index.Scores("rare common")[0]);
}

TEST(Bm25, WithoutBLengthDoesNotMatter) {
  const Strings texts = {"cat", "cat and so much more of other things"};
  const std::vector<double> even = Bm25Index(texts, {1.2, 0}).Scores("cat");
  EXPECT_EQ(even[0], even[1]);
  const std::vector<double> held = Bm25Index(texts, {1.2, 1}).Scores("cat");
  EXPECT_GT(held[0], held[1]);
}

TEST(Bm25, EmptyTextsAndQueriesScoreZero) {
  const Strings texts = {"", ""};
  EXPECT_EQ(Bm25Index(texts).Scores("cat"), (std::vector<double>{0, 0}));
  EXPECT_TRUE(Bm25Index({}).Scores("cat").empty());
}

TEST(Bm25, OptionsOutOfRangeAreRefused) {
  EXPECT_THROW(Bm25Index({}, {-1, 0.5}), ConfigError);
  EXPECT_THROW(Bm25Index({}, {1, 1.5}), ConfigError);
  EXPECT_THROW(Bm25Index({}, {1, std::nan("")}), ConfigError);
}

TEST(SharedWords, IsTheScoreOverTheMostPossible) {
  const Strings texts = {"cat cat dog", "dog", "bird of prey and of play"};
  const Bm25Statistics statistics(texts);
  const auto counted = statistics.Count(texts);
  const Strings queries = {"Cat, dog!", "nobody", ""};
  const auto query_counts = statistics.Count(queries);
  const double max = 2.2 * (statistics.Idf("cat") + statistics.Idf("dog"));
  const std::vector<double> scores = Bm25Index(texts).Scores(queries[0]);
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_NEAR(SharedWords(query_counts[0], counted[i]), scores[i] / max,
                1e-12);
    EXPECT_EQ(SharedWords(query_counts[1], counted[i]), 0);
    EXPECT_EQ(SharedWords(query_counts[2], counted[i]), 0);
  }
  // An unknown word is rare, and it is shared all the same.
  EXPECT_GT(SharedWords(query_counts[1], query_counts[1]), 0.4);
}

TEST(OverlapFeatures, AreFractionsOfWordsAndIdf) {
  // "the" stands in half of the texts, the other words in 1 of 60.
  Strings texts = {"the cat", "dog"};
  for (int i = 0; i < 58; ++i) texts.push_back(i % 2 ? "the" : "x y");
  const Bm25Statistics statistics(texts);
  const Strings pair = {"the cat the dog", "the the dog runs"};
  const auto counted = statistics.Count(pair);
  const auto features = OverlapFeatures(counted[0], counted[1]);
  const double the = statistics.Idf("the"), rare = statistics.Idf("cat");
  EXPECT_EQ(features[0], SharedWords(counted[0], counted[1]));
  EXPECT_NEAR(features[1], 2.0 / 3, 1e-12);
  EXPECT_NEAR(features[2], (the + rare) / (the + 2 * rare), 1e-12);
  EXPECT_NEAR(features[3], 1.0 / 2, 1e-12) << "without 'the'";
  EXPECT_NEAR(features[4], rare / (2 * rare), 1e-12);
  const Strings others = {"the", ""};
  for (const auto& words : statistics.Count(others)) {
    const auto nothing = OverlapFeatures(words, counted[1]);
    EXPECT_EQ(nothing[3], 0);
    EXPECT_EQ(nothing[4], 0);
  }
}

TEST(Bm25Statistics, AreReadAsTheyWereWritten) {
  const Bm25Statistics all(Strings{"a b", "b c c", ""});
  EXPECT_EQ(all.Serialize(), "3\t5\na\t1\nb\t2\nc\t1\n");
  const auto read = Bm25Statistics::Parse(all.Serialize(), "x.tsv");
  EXPECT_EQ(read.Serialize(), all.Serialize());
  for (const char* bad : {"", "3\n", "3\tx\n", "3\t5\na\t4\n",
                          "3\t5\na\t1\na\t1\n", "3\t5\na\n", "-1\t5\n"}) {
    EXPECT_THROW(Bm25Statistics::Parse(bad, "x.tsv"), FormatError) << bad;
  }
}

}  // namespace
}  // namespace heed
