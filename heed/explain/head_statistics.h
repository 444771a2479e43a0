// Statistics of attention heads: entropy, distance and similarity.
#ifndef HEED_EXPLAIN_HEAD_STATISTICS_H_
#define HEED_EXPLAIN_HEAD_STATISTICS_H_

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "heed/explain/explanation.h"

namespace heed {

/// Entropy and distance of attention weights.
struct HeadStatistics {
  /// Mean over queries of −Σ_s a log2 a. Units: bits. Queries with weight
  /// outside (see AttentionMap) do not count in any mean of this struct.
  double entropy = 0;
  /// Mean over queries of Σ_s a |t − s| in items for self-attention; for other
  /// attention, of |t/(T−1) − s/(S−1)|, 0 to 1 (a share of the axes). Rows
  /// without weight do not count.
  double distance = 0;
  /// Mean over queries of the perplexity of a row, 2^entropy: the effective
  /// number of items attended to. Range: from 1 to S.
  double words = 0;
  /// Mean Hellinger distance √(½ Σ_s (√p_s − √q_s)²) of the weights p and q of
  /// consecutive queries: 0 for equal rows, 1 for disjoint ones. NaN for a
  /// single query, and along edges, whose queries have no order.
  double step = std::numeric_limits<double>::quiet_NaN();
  /// Mean of the largest weight of a row.
  double largest = std::numeric_limits<double>::quiet_NaN();
  /// Mean weight on key 0, and in self-attention on the query itself and on the
  /// position before it. NaN if no query has such a key.
  double first = std::numeric_limits<double>::quiet_NaN();
  double own = std::numeric_limits<double>::quiet_NaN();
  double previous = std::numeric_limits<double>::quiet_NaN();
  /// Mean weight on all earlier positions with the query's token, and on the
  /// positions behind them (induction), over the queries that have any. NaN if
  /// none has, and if tokens are unknown. Paper: Olsson et al. 2022,
  /// arXiv:2209.11895.
  double repeated = std::numeric_limits<double>::quiet_NaN();
  double induction = std::numeric_limits<double>::quiet_NaN();
};

/// Computes the statistics of one head; head −1: the mean of the heads.
/// `tokens`: see Summarize. Paper:
/// Clark et al. 2019, arXiv:1906.04341, section 3.3 (entropy); Vig and Belinkov
/// 2019, arXiv:1906.04284, eq. 2 (distance).
HeadStatistics StatisticsOf(const AttentionMap& map, int64_t head,
                            std::span<const int32_t> tokens = {});
/// Computes the statistics of each head.
std::vector<HeadStatistics> StatisticsOf(const AttentionMap& map,
                                         std::span<const int32_t> tokens = {});

/// Similarity of the heads of an attention layer: the mean cosine of the
/// weights of two heads, over all pairs and queries. 1 if all heads are equal;
/// NaN for one head. Paper: Li et al. 2018, arXiv:1810.10183, eq. 10
/// (disagreement on positions).
double HeadSimilarity(const AttentionMap& map);

/// Similarity of the contexts of heads: the mean cosine of the contexts Σ_s a v
/// of two heads, before the output projection. Shapes: contexts [T, H D].
/// Paper: Li et al. 2018 (disagreement on outputs).
double ContextSimilarity(std::span<const float> contexts, int64_t heads,
                         int64_t queries);

/// The statistics of a layer's heads.
struct LayerStatistics {
  std::string layer;
  std::vector<HeadStatistics> heads;
  bool within_axis = true;  ///< distances are in items
  /// See HeadSimilarity and ContextSimilarity.
  double similarity = std::numeric_limits<double>::quiet_NaN();
  double context_similarity = std::numeric_limits<double>::quiet_NaN();
};

/// "nearly uniform: 1/8" if the mean entropy of rows of `keys` weights is
/// within 3 % of the uniform distribution; otherwise "". Units: bits.
std::string UniformNote(double entropy, int64_t keys);

}  // namespace heed

#endif  // HEED_EXPLAIN_HEAD_STATISTICS_H_
