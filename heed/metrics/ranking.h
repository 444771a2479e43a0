// How far up a ranking puts what was looked for.
#ifndef HEED_METRICS_RANKING_H_
#define HEED_METRICS_RANKING_H_

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace heed {

/// The ranking of one query, the best first.
struct Ranking {
  std::vector<bool> relevant;  ///< of each place
  /// Relevant documents, also those that the ranking does not hold; at least as
  /// many as it does.
  int64_t positives = 0;
};

/// Means over the queries, each from 0 to 1.
struct RankingScores {
  double mrr = 0;  ///< 1 / place of the first relevant document, 0 without one
  double map = 0;  ///< Σ over relevant places of precision there / positives
  /// At each cutoff k: relevant among the first k / k, / positives, and
  /// Σ 1 / log2(1 + place) / the same of a perfect ranking.
  std::map<int, double> precision;
  std::map<int, double> recall;
  std::map<int, double> ndcg;
  int64_t queries = 0;  ///< that count
  int64_t dropped = 0;  ///< that do not: nothing is relevant to them
};

/// Throws: ShapeError for more relevant places than positives, ConfigError for
/// a cutoff below 1.
/// Paper: Järvelin and Kekäläinen 2002 (nDCG).
RankingScores ScoreRankings(std::span<const Ranking> rankings,
                            std::span<const int> cutoffs);

/// Places of the `most` largest scores (negative: of all), the largest first;
/// of equal ones the first comes first. Throws: NumericError if one is NaN.
std::vector<int64_t> OrderByScore(std::span<const double> scores,
                                  int64_t most = -1);

}  // namespace heed

#endif  // HEED_METRICS_RANKING_H_
