#include "course/token_tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace heed {
namespace {

using Tokens = std::vector<std::string>;

/// Returns answer `k` of each token of a row.
Tokens AnswersOf(const TokenTask& task, const TokenBatch& batch, int64_t row,
                 int64_t k = 0) {
  Tokens answers;
  for (int32_t t = 0; t < batch.lengths.data<int32_t>()[row]; ++t) {
    answers.push_back(task.vocabulary.at(static_cast<size_t>(
        batch.wanted[row].data<int32_t>()[t * task.answers + k])));
  }
  return answers;
}

TEST(TokenTasks, FourLettersAreThoseOfTheirPlaces) {
  const TokenTask task = FourLettersTask();
  Rng rng(1);
  const TokenBatch batch = task.draw(3, rng);
  const Tokens word = TokensOf(task, batch, 2);
  ASSERT_EQ(word.size(), 12u);
  const Tokens mirrored(word.rbegin(), word.rend());
  EXPECT_EQ(AnswersOf(task, batch, 2, 0), mirrored);
  EXPECT_EQ(AnswersOf(task, batch, 2, 1)[4], word[3]);
  EXPECT_EQ(AnswersOf(task, batch, 2, 1)[0], word[11]);
  EXPECT_EQ(AnswersOf(task, batch, 2, 2)[11], word[0]);
  EXPECT_EQ(AnswersOf(task, batch, 2, 3), Tokens(12, word[0]));
}

TEST(TokenTasks, WordsDependOnTheirNounAndNounsOnTheVerb) {
  const TokenTask task = DependenciesTask();
  Rng rng(1);
  const TokenBatch batch = task.draw(200, rng);
  std::set<size_t> lengths;
  for (int64_t b = 0; b < 200; ++b) {
    const Tokens words = TokensOf(task, batch, b);
    const Tokens answers = AnswersOf(task, batch, b);
    lengths.insert(words.size());
    // The verb answers with itself, and both nouns answer with the verb.
    const auto verb = static_cast<size_t>(
        std::ranges::find(words.begin() + 1, words.end(), "the") -
        words.begin() - 1);
    EXPECT_EQ(answers[verb], words[verb]);
    EXPECT_EQ(answers[verb - 1], words[verb]);
    EXPECT_EQ(answers.back(), words[verb]);
    EXPECT_EQ(answers[0], words[verb - 1]);
    EXPECT_EQ(answers[verb + 1], words.back());
    EXPECT_EQ(answers[words.size() - 2], words.back());
    EXPECT_NE(words[verb - 1], words.back());
  }
  EXPECT_EQ(lengths, (std::set<size_t>{5, 6, 7}));
}

TEST(TokenTasks, ShufflingTakesAnswersAlong) {
  const TokenTask task = DependenciesTask();
  Rng rng(3);
  const TokenBatch batch = task.draw(20, rng);
  const TokenBatch shuffled = Shuffled(batch, rng);
  bool moved = false;
  for (int64_t b = 0; b < 20; ++b) {
    const auto pairs = [&](const TokenBatch& of) {
      const Tokens words = TokensOf(task, of, b);
      const Tokens answers = AnswersOf(task, of, b);
      std::multiset<std::pair<std::string, std::string>> all;
      for (size_t i = 0; i < words.size(); ++i) {
        all.insert({words[i], answers[i]});
      }
      return all;
    };
    EXPECT_EQ(pairs(batch), pairs(shuffled));
    moved |= TokensOf(task, batch, b) != TokensOf(task, shuffled, b);
  }
  EXPECT_TRUE(moved);
  EXPECT_EQ(Swapped(batch, 0, rng).tokens.ToVector<int32_t>(),
            batch.tokens.ToVector<int32_t>());
  const TokenBatch swapped = Swapped(batch, 1, rng);
  for (int64_t b = 0; b < 20; ++b) {
    int different = 0;
    for (int64_t t = 0; t < 7; ++t) {
      different +=
          batch.tokens.row<int32_t>(b)[t] != swapped.tokens.row<int32_t>(b)[t];
    }
    EXPECT_LE(different, 2);
  }
}

TEST(TokenTasks, OrderIsLearnedWithPositionsOnly) {
  const TokenTask task = DependenciesTask();
  for (const bool positions : {true, false}) {
    TokenAttentionOptions layer = LayerFor(task, 64);
    layer.positions = positions;
    TokenLearner learner(task, layer, {.steps = 300});
    learner.Train();
    const TokenBatch test = learner.Test(200);
    Rng rng(5);
    const double right = ScoreTokens(learner.model(), test).accuracy;
    const double shuffled =
        ScoreTokens(learner.model(), Shuffled(test, rng)).accuracy;
    if (positions) {
      EXPECT_GT(right, 0.9);
      EXPECT_LT(shuffled, right - 0.2);
    } else {
      EXPECT_LT(right, 0.85);
      EXPECT_NEAR(shuffled, right, 1e-6);
    }
  }
}

TEST(TokenTasks, TheSameSeedGivesTheSameLayer) {
  const TokenTask task = BackwardsTask();
  const auto loss = [&](uint64_t seed) {
    TokenLearner learner(task, LayerFor(task, 16), {.steps = 5, .seed = seed});
    learner.Train();
    return ScoreTokens(learner.model(), learner.Test(10)).loss;
  };
  EXPECT_EQ(loss(1), loss(1));
  EXPECT_NE(loss(1), loss(2));
}

}  // namespace
}  // namespace heed
