#include "heed/decode/sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/decode/testing.h"

namespace heed {
namespace {

DecodeOptions Sampled(int nbest, uint64_t seed = 1) {
  DecodeOptions options;
  options.sample = true;
  options.nbest = nbest;
  options.seed = seed;
  return options;
}

std::vector<Hypothesis> Draw(const FakeModel& model,
                             const DecodeOptions& options, int64_t number = 0) {
  const auto [ids, lengths] = SourceOf({{4, 5, kEos}});
  return Sample(model, {ids, lengths}, options, std::vector<int64_t>{number})
      .at(0);
}

// Relative frequencies of the first tokens in 1000 samples of one token.
std::map<int32_t, double> Shares(const std::vector<double>& p,
                                 DecodeOptions options) {
  std::vector<float> scores = {0, -100, 0, -100};
  for (const double share : p) {
    scores.push_back(static_cast<float>(std::log(share)) + 3);
  }
  options.nbest = 1000;
  options.max_length = 1;
  std::map<int32_t, double> shares;
  for (const Hypothesis& hypothesis : Draw(ConstantModel(scores), options)) {
    shares[hypothesis.tokens.at(0)] += 1e-3;
  }
  return shares;
}

TEST(Sample, DrawsFollowTheModel) {
  const auto shares = Shares({0.5, 0.3, 0.15, 0.05}, Sampled(1));
  ASSERT_EQ(shares.size(), 4u);  // neither padding nor <s>
  EXPECT_NEAR(shares.at(4), 0.5, 0.05);
  EXPECT_NEAR(shares.at(5), 0.3, 0.05);
  EXPECT_NEAR(shares.at(6), 0.15, 0.04);
  EXPECT_NEAR(shares.at(7), 0.05, 0.025);
}

TEST(Sample, TemperatureSharpensOrFlattens) {
  DecodeOptions options = Sampled(1);
  options.temperature = 0.5;  // p² : 0.64 and 0.04
  EXPECT_NEAR(Shares({0.8, 0.2}, options).at(4), 16.0 / 17, 0.03);
  options.temperature = 2;  // √p: 0.894 and 0.447
  EXPECT_NEAR(Shares({0.8, 0.2}, options).at(4), 2.0 / 3, 0.05);
}

TEST(Sample, TopKKeepsTheMostProbable) {
  DecodeOptions options = Sampled(1);
  options.top_k = 2;
  const auto shares = Shares({0.1, 0.4, 0.2, 0.3}, options);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_NEAR(shares.at(5), 4.0 / 7, 0.05);
  EXPECT_NEAR(shares.at(7), 3.0 / 7, 0.05);
}

TEST(Sample, TopPLeavesTheFewestThatReachIt) {
  DecodeOptions options = Sampled(1);
  options.top_p = 0.65;
  const auto shares = Shares({0.1, 0.4, 0.2, 0.3}, options);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_NEAR(shares.at(5), 4.0 / 7, 0.05);
  options.top_p = 0.75;
  EXPECT_EQ(Shares({0.1, 0.4, 0.2, 0.3}, options).size(), 3u);
  options.top_p = 0;
  EXPECT_EQ(Shares({0.1, 0.4, 0.2, 0.3}, options).size(), 1u);
}

TEST(Sample, TopPCountsAmongManyTokens) {
  DecodeOptions options = Sampled(1);
  options.top_p = 0.5;
  EXPECT_EQ(Shares(std::vector<double>(200, 1.0 / 200), options).size(), 100u);
}

TEST(Sample, TopPCutsWhatTopKLeft) {
  DecodeOptions options = Sampled(1);
  options.top_k = 2;  // 4/7 and 3/7
  options.top_p = 0.5;
  EXPECT_EQ(Shares({0.1, 0.4, 0.2, 0.3}, options).size(), 1u);
}

TEST(Sample, TopOneIsGreedy) {
  const RandomModel model(12);
  DecodeOptions options = Sampled(3);
  options.top_k = 1;
  for (const Hypothesis& hypothesis : Draw(model, options)) {
    FakeRow row{{4, 5, kEos}, {kBos}};
    for (const int32_t token : hypothesis.tokens) {
      const std::vector<float> scores = model.Scores(row);
      for (size_t v = 0; v < scores.size(); ++v) {
        if (v == kPad || v == kBos) continue;
        EXPECT_LE(scores[v], At(scores, token));
      }
      row.written.push_back(token);
    }
  }
}

TEST(Sample, LogProbabilityIsTheModels) {
  const double p = 0.25 / 3;  // padding, <s> and the tokens are equally likely
  DecodeOptions options = Sampled(1);
  options.max_length = 1;
  options.temperature = 5;
  const auto log_p = static_cast<float>(std::log(p));
  const ConstantModel model({log_p, -100, log_p, std::log(0.75F), log_p});
  for (const Hypothesis& hypothesis : Draw(model, options)) {
    const double expected = hypothesis.tokens.empty()
                                ? std::log(0.75)
                                : std::log(p) + std::log(0.75);
    EXPECT_NEAR(hypothesis.log_probability, expected, 1e-5);
  }
}

TEST(Sample, TheSeedAndTheNumberDecide) {
  const RandomModel model(30, -1);
  const auto tokens = [&](uint64_t seed, int64_t number) {
    return Draw(model, Sampled(1, seed), number).at(0).tokens;
  };
  EXPECT_EQ(tokens(1, 7), tokens(1, 7));
  EXPECT_NE(tokens(1, 7), tokens(2, 7));
  EXPECT_NE(tokens(1, 7), tokens(1, 8));
}

TEST(Sample, TheSamplesOfASentenceDiffer) {
  const auto found = Draw(RandomModel(30, -1), Sampled(4));
  ASSERT_EQ(found.size(), 4u);
  for (size_t i = 1; i < found.size(); ++i) {
    EXPECT_NE(found[i].tokens, found[0].tokens);
    EXPECT_LE(found[i].score, found[i - 1].score);
  }
}

TEST(Sample, TheBatchChangesNothing) {
  const RandomModel model(20, 0.5);
  DecodeOptions options = Sampled(3);
  options.temperature = 1.3;
  options.top_p = 0.9;
  std::vector<Ids> sources;
  std::vector<int64_t> numbers;
  for (int32_t i = 0; i < 10; ++i) {
    sources.push_back({4 + i, 5, kEos});
    numbers.push_back(100 - i);
  }
  const auto [ids, lengths] = SourceOf(sources);
  const auto together = Sample(model, {ids, lengths}, options, numbers);
  for (size_t i = 0; i < sources.size(); ++i) {
    const auto [one, length] = SourceOf({sources[i]});
    const auto alone =
        Sample(model, {one, length}, options, std::vector<int64_t>{numbers[i]})
            .at(0);
    ASSERT_EQ(together[i].size(), 3u);
    for (size_t n = 0; n < 3; ++n) {
      EXPECT_EQ(together[i][n].tokens, alone[n].tokens);
      EXPECT_EQ(together[i][n].score, alone[n].score);
    }
  }
}

TEST(Sample, OutputsLimitTheDraws) {
  const RandomModel model(20);
  const Ids some = {kPad, kUnk, kBos, kEos, 5, 11, 17};
  const auto [ids, lengths] = SourceOf({{4, 5, kEos}});
  const auto found = Sample(model, {ids, lengths}, Sampled(20),
                            std::vector<int64_t>{0}, {some});
  for (const Hypothesis& hypothesis : found.at(0)) {
    for (const int32_t token : hypothesis.tokens) {
      EXPECT_EQ(std::ranges::count(some, token), 1) << token;
    }
  }
}

TEST(Sample, ACancelledSentenceDrawsNoFurtherToken) {
  const RandomModel endless(12, -50);
  DecodeOptions options = Sampled(5);
  options.max_length = 40;
  const AfterSteps cancellation(endless, 7);
  const auto [ids, lengths] = SourceOf({{4, 5, kEos}, {6, kEos}});
  const std::vector<int64_t> numbers = {0, 1};
  EXPECT_THROW(Sample(endless, {ids, lengths}, options, numbers, {},
                      {{}, {&cancellation, &cancellation}}),
               Cancelled);
  EXPECT_EQ(endless.rows_of_steps.size(), 7u);
  const auto alone = Sample(endless, {ids, lengths}, options, numbers).at(1);
  const auto found = Sample(endless, {ids, lengths}, options, numbers, {},
                            {{}, {&cancellation, nullptr}});
  EXPECT_TRUE(found.at(0).empty());
  ASSERT_EQ(found.at(1).size(), 5u);
  for (size_t n = 0; n < 5; ++n) {
    EXPECT_EQ(found[1][n].tokens, alone[n].tokens);
  }
}

TEST(Sample, ANumberIsNeededForEachSentence) {
  const auto [ids, lengths] = SourceOf({{4, kEos}});
  EXPECT_THROW(Sample(CopyModel(9), {ids, lengths}, Sampled(1), {}),
               ShapeError);
}

}  // namespace
}  // namespace heed
