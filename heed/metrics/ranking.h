// Ranking metrics of retrieval: MRR, MAP, precision, recall and nDCG.
#ifndef HEED_METRICS_RANKING_H_
#define HEED_METRICS_RANKING_H_

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace heed {

/// The ranking of one query, best document first.
struct Ranking {
  std::vector<bool> relevant;  ///< per place
  /// Number of relevant documents, including those missing from the ranking.
  int64_t positives = 0;
};

/// Means over the queries, each from 0 to 1.
struct RankingScores {
  double mrr = 0;  ///< 1 / place of the first relevant document, 0 without one
  double map = 0;  ///< Σ over relevant places of precision at the place /
                   ///< positives
  /// Metrics at each cutoff k. With h relevant documents in the first k places:
  /// precision h / k, recall h / positives. nDCG is Σ 1 / log2(1 + place) over
  /// these documents, divided by the value of a perfect ranking.
  std::map<int, double> precision;
  std::map<int, double> recall;
  std::map<int, double> ndcg;
  int64_t queries = 0;  ///< queries with a relevant document
  int64_t dropped = 0;  ///< queries without one, which do not count
};

/// Scores rankings. Throws: ShapeError for more relevant places than positives,
/// ConfigError for a cutoff below 1.
/// Paper: Järvelin and Kekäläinen 2002 (nDCG).
RankingScores ScoreRankings(std::span<const Ranking> rankings,
                            std::span<const int> cutoffs);

/// Indices of the `max` largest scores (negative: all), largest first; ties
/// keep their order. Throws: NumericError for NaN.
std::vector<int64_t> OrderByScore(std::span<const double> scores,
                                  int64_t max = -1);

}  // namespace heed

#endif  // HEED_METRICS_RANKING_H_
