#include "heed/metrics/ranking.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/errors.h"

namespace heed {
namespace {

using Places = std::vector<int64_t>;

RankingScores Score(const std::vector<Ranking>& rankings) {
  const std::vector<int> cutoffs = {1, 3, 10};
  return ScoreRankings(rankings, cutoffs);
}

TEST(Ranking, OneQueryByHand) {
  // Places 2 and 4 of 5 are relevant, and a third document is missing.
  const RankingScores s = Score({{{false, true, false, true, false}, 3}});
  EXPECT_DOUBLE_EQ(s.mrr, 1 / 2.0);
  EXPECT_DOUBLE_EQ(s.map, (1 / 2.0 + 2 / 4.0) / 3);
  EXPECT_DOUBLE_EQ(s.precision.at(1), 0);
  EXPECT_DOUBLE_EQ(s.precision.at(3), 1 / 3.0);
  EXPECT_DOUBLE_EQ(s.precision.at(10), 2 / 10.0);
  EXPECT_DOUBLE_EQ(s.recall.at(3), 1 / 3.0);
  EXPECT_DOUBLE_EQ(s.recall.at(10), 2 / 3.0);
  const double ideal = 1 + 1 / std::log2(3) + 1 / std::log2(4);
  EXPECT_DOUBLE_EQ(s.ndcg.at(3), 1 / std::log2(3) / ideal);
  EXPECT_DOUBLE_EQ(s.ndcg.at(10),
                   (1 / std::log2(3) + 1 / std::log2(5)) / ideal);
}

TEST(Ranking, PerfectIsOneAndNothingFoundIsZero) {
  const RankingScores best = Score({{{true, true, false}, 2}});
  EXPECT_DOUBLE_EQ(best.mrr, 1);
  EXPECT_DOUBLE_EQ(best.map, 1);
  EXPECT_DOUBLE_EQ(best.recall.at(3), 1);
  EXPECT_DOUBLE_EQ(best.ndcg.at(1), 1);
  EXPECT_DOUBLE_EQ(best.ndcg.at(10), 1);
  const RankingScores worst = Score({{{false, false}, 2}});
  EXPECT_EQ(worst.mrr + worst.map + worst.recall.at(10) + worst.ndcg.at(3), 0);
}

TEST(Ranking, MeansAreOverQueriesThatHavePositives) {
  const RankingScores s =
      Score({{{true}, 1}, {{false, true}, 1}, {{false, false}, 0}});
  EXPECT_EQ(s.queries, 2);
  EXPECT_EQ(s.dropped, 1);
  EXPECT_DOUBLE_EQ(s.mrr, 0.75);
  EXPECT_DOUBLE_EQ(s.precision.at(1), 0.5);
}

TEST(Ranking, AQueryThatFindsNothingCounts) {
  const RankingScores s = Score({{{}, 2}, {{true}, 1}});
  EXPECT_EQ(s.queries, 2);
  EXPECT_DOUBLE_EQ(s.map, 0.5);
  EXPECT_DOUBLE_EQ(s.ndcg.at(1), 0.5);
}

TEST(Ranking, NoQueriesGiveNoNumbers) {
  const RankingScores s = Score({});
  EXPECT_TRUE(std::isnan(s.mrr));
  EXPECT_TRUE(std::isnan(s.precision.at(3)));
}

TEST(Ranking, WrongCountsAreRefused) {
  EXPECT_THROW(Score({{{true, true}, 1}}), ShapeError);
  const std::vector<int> zero = {0};
  EXPECT_THROW(ScoreRankings({}, zero), ConfigError);
}

TEST(OrderByScore, GreatestFirstAndTiesAsTheyStand) {
  const std::vector<double> scores = {
      1, 3, 1, -std::numeric_limits<double>::infinity(), 3};
  EXPECT_EQ(OrderByScore(scores), (Places{1, 4, 0, 2, 3}));
  EXPECT_EQ(OrderByScore(scores, 2), (Places{1, 4}));
  EXPECT_EQ(OrderByScore(scores, 9).size(), 5U);
  EXPECT_TRUE(OrderByScore(scores, 0).empty());
  const std::vector<double> nan = {1, std::nan("")};
  EXPECT_THROW(OrderByScore(nan), NumericError);
}

}  // namespace
}  // namespace heed
