#include "course/data/paraphrases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/data/bm25.h"

namespace heed {
namespace {

std::set<std::string> WordsOfQueries(
    const TextCollection& texts, const std::vector<RetrievalQuery>& queries) {
  std::set<std::string> words;
  for (const RetrievalQuery& query : queries) {
    const std::string& text = At(texts.texts(), query.query);
    const auto split = SplitWords({&text, 1});
    words.insert(split[0].begin(), split[0].end());
  }
  return words;
}

TEST(Paraphrases, EveryQueryHasItsAnswerAmongTwentyCandidates) {
  const ParaphraseTask task = MakeParaphrases(100, 1);
  EXPECT_EQ(task.corpus.size(), 1728);
  EXPECT_EQ(task.train.size(), 80U);
  EXPECT_EQ(task.valid.size(), 10U);
  EXPECT_EQ(task.test.size(), 10U);
  for (const RetrievalQuery& query : task.train) {
    const auto& c = query.candidates;
    EXPECT_EQ(std::set<int64_t>(c.begin(), c.end()).size(), 20U);
    ASSERT_EQ(query.positives.size(), 1U);
    EXPECT_EQ(std::count(c.begin(), c.end(), query.positives[0]), 1);
  }
}

TEST(Paraphrases, TestedMeaningsAreNewButTheirWordsAreNot) {
  const ParaphraseTask task = MakeParaphrases(500, 2);
  std::set<int64_t> answers;
  for (const auto* part : {&task.train, &task.valid, &task.test}) {
    for (const RetrievalQuery& query : *part) {
      EXPECT_TRUE(answers.insert(query.positives[0]).second);
    }
  }
  const auto known = WordsOfQueries(task.queries, task.train);
  for (const std::string& word : WordsOfQueries(task.queries, task.test)) {
    EXPECT_TRUE(known.contains(word)) << word;
  }
}

TEST(Paraphrases, SharedWordsDoNotTellTheAnswer) {
  // A random ranking puts the answer first for one query in 20.
  const ParaphraseTask task = MakeParaphrases(1000, 3);
  const Bm25Index index(task.corpus.texts());
  int64_t first = 0;
  for (const RetrievalQuery& query : task.train) {
    const std::vector<double> scores =
        index.Scores(At(task.queries.texts(), query.query));
    const double answer = At(scores, query.positives[0]);
    first += std::all_of(query.candidates.begin(), query.candidates.end(),
                         [&](int64_t text) {
                           return text == query.positives[0] ||
                                  At(scores, text) < answer;
                         })
                 ? 1
                 : 0;
  }
  EXPECT_LT(first, 80);
}

TEST(Paraphrases, TheSeedDecidesEverything) {
  const ParaphraseTask a = MakeParaphrases(20, 4), b = MakeParaphrases(20, 4);
  EXPECT_EQ(a.queries.texts(), b.queries.texts());
  EXPECT_EQ(a.corpus.texts(), b.corpus.texts());
  EXPECT_EQ(a.test[0].candidates, b.test[0].candidates);
  EXPECT_NE(a.queries.texts(), MakeParaphrases(20, 5).queries.texts());
}

TEST(Paraphrases, RemarksStandAroundTheQuestion) {
  const ParaphraseTask alone = MakeParaphrases(20, 4);
  const ParaphraseTask task = MakeParaphrases(20, 4, 3);
  std::set<size_t> places;
  for (const std::string& text : task.corpus.texts()) {
    EXPECT_EQ(std::count(text.begin(), text.end(), '.'), 3) << text;
    size_t question = std::string::npos;
    for (const char* word : {"how do", "where can", "what is", "can someone",
                             "is it possible", "why can"}) {
      question = std::min(question, text.find(word));
    }
    ASSERT_NE(question, std::string::npos) << text;
    const auto before =
        std::count(text.begin(),
                   text.begin() + static_cast<std::ptrdiff_t>(question), '.');
    places.insert(static_cast<size_t>(before));
  }
  EXPECT_EQ(places.size(), 4U) << "everywhere";
  EXPECT_EQ(task.train.size(), alone.train.size());
}

TEST(Paraphrases, NumbersOutOfRangeAreRefused) {
  EXPECT_THROW(MakeParaphrases(9, 1), ConfigError);
  EXPECT_THROW(MakeParaphrases(1729, 1), ConfigError);
  EXPECT_THROW(MakeParaphrases(10, 1, -1), ConfigError);
}

}  // namespace
}  // namespace heed
