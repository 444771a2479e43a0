#include "heed/metrics/ranking.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/metrics/metrics.h"

namespace heed {
namespace {

/// Discount of the gain at `place` (from 0).
double Discount(int64_t place) {
  return 1 / std::log2(static_cast<double>(place) + 2);
}

void AddQuery(const Ranking& ranking, std::span<const int> cutoffs,
              RankingScores& sums) {
  const auto positives = static_cast<double>(ranking.positives);
  std::vector<double> gains;  // cumulated gain up to each place
  std::vector<int64_t> hits;
  double gain = 0, precisions = 0;
  int64_t found = 0;
  for (size_t i = 0; i < ranking.relevant.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    if (ranking.relevant[i]) {
      ++found;
      gain += Discount(place);
      const double precision =
          static_cast<double>(found) / static_cast<double>(place + 1);
      precisions += precision;
      if (found == 1) sums.mrr += precision;
    }
    hits.push_back(found);
    gains.push_back(gain);
  }
  sums.map += precisions / positives;
  if (ranking.relevant.empty()) return;
  for (const int cutoff : cutoffs) {
    const size_t last =
        std::min(static_cast<size_t>(cutoff), ranking.relevant.size()) - 1;
    const auto hit = static_cast<double>(hits[last]);
    double ideal = 0;
    for (int64_t i = 0; i < std::min<int64_t>(cutoff, ranking.positives); ++i) {
      ideal += Discount(i);
    }
    sums.precision[cutoff] += hit / cutoff;
    sums.recall[cutoff] += hit / positives;
    sums.ndcg[cutoff] += gains[last] / ideal;
  }
}

void Divide(std::map<int, double>& sums, int64_t by) {
  for (auto& [cutoff, sum] : sums) sum = RatioOf(sum, by);
}

}  // namespace

RankingScores ScoreRankings(std::span<const Ranking> rankings,
                            std::span<const int> cutoffs) {
  RankingScores scores;
  for (const int cutoff : cutoffs) {
    if (cutoff < 1) throw ConfigError("ranking: a cutoff below 1");
    scores.precision[cutoff] = scores.recall[cutoff] = scores.ndcg[cutoff] = 0;
  }
  for (const Ranking& ranking : rankings) {
    const auto relevant =
        std::count(ranking.relevant.begin(), ranking.relevant.end(), true);
    if (relevant > ranking.positives) {
      throw ShapeError("ranking: more relevant places than positives");
    }
    if (ranking.positives == 0) {
      ++scores.dropped;
    } else {
      ++scores.queries;
      AddQuery(ranking, cutoffs, scores);
    }
  }
  scores.mrr = RatioOf(scores.mrr, scores.queries);
  scores.map = RatioOf(scores.map, scores.queries);
  Divide(scores.precision, scores.queries);
  Divide(scores.recall, scores.queries);
  Divide(scores.ndcg, scores.queries);
  return scores;
}

std::vector<int64_t> OrderByScore(std::span<const double> scores, int64_t max) {
  for (const double score : scores) {
    if (std::isnan(score)) throw NumericError("ranking: a score is NaN");
  }
  std::vector<int64_t> order(scores.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto all = static_cast<int64_t>(scores.size());
  const int64_t kept = max < 0 ? all : std::min(max, all);
  std::partial_sort(order.begin(), order.begin() + kept, order.end(),
                    [scores](int64_t a, int64_t b) {
                      const double x = At(scores, a);
                      const double y = At(scores, b);
                      return x != y ? x > y : a < b;
                    });
  order.resize(static_cast<size_t>(kept));
  return order;
}

}  // namespace heed
