// Figures about the weights of attention heads: how sharp, how far, how alike.
#ifndef HEED_EXPLAIN_HEAD_STATISTICS_H_
#define HEED_EXPLAIN_HEAD_STATISTICS_H_

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "heed/explain/explanation.h"

namespace heed {

/// How sharp and how far attention looks.
struct HeadStatistics {
  /// Mean over queries of −Σ_s a log2 a. Units: bits. Queries of which a part
  /// is outside (see AttentionMap) do not count, in all means here.
  double entropy = 0;
  /// Mean over queries of Σ_s a |t − s|, of attention from one axis to itself
  /// (items); else of |t/(T−1) − s/(S−1)|, 0 to 1 (a share of the axes). Rows
  /// without weight do not count.
  double distance = 0;
  /// Mean over queries of 2 to the entropy, the perplexity of a row: over how
  /// many items its weight is spread. Range: from 1 to S.
  double words = 0;
  /// Mean distance between the weights p and q of queries that follow each
  /// other, √(½ Σ_s (√p_s − √q_s)²) (Hellinger): 0 where all attend to the
  /// same, 1 where none does to what the one before did. NaN of a single query
  /// and along edges, whose queries have no order.
  double step = std::numeric_limits<double>::quiet_NaN();
};

/// Computes the statistics of one head; head −1: the mean of the heads. Paper:
/// Clark et al. 2019, arXiv:1906.04341, section 3.3 (entropy); Vig and Belinkov
/// 2019, arXiv:1906.04284, eq. 2 (distance).
HeadStatistics StatisticsOf(const AttentionMap& map, int64_t head);
/// Computes the statistics of each head.
std::vector<HeadStatistics> StatisticsOf(const AttentionMap& map);

/// How alike the heads of an attention are: the mean cosine of the weights of
/// two heads, over all pairs and all queries. 1: all heads are the same; NaN of
/// one head. Paper: Li et al. 2018, arXiv:1810.10183, eq. 10 (disagreement on
/// positions).
double LikenessOfHeads(const AttentionMap& map);

/// How alike the contexts of heads are: the mean cosine of those of two heads,
/// Σ_s a v each, before an output layer mixes them. Shapes: contexts [T, H D].
/// Paper: Li et al. 2018 (disagreement on outputs).
double LikenessOfContexts(std::span<const float> contexts, int64_t heads,
                          int64_t queries);

/// The statistics of a layer's heads.
struct LayerStatistics {
  std::string layer;
  std::vector<HeadStatistics> heads;
  bool within_axis = true;  ///< whether distances are in items
  /// See LikenessOfHeads and LikenessOfContexts.
  double likeness = std::numeric_limits<double>::quiet_NaN();
  double context_likeness = std::numeric_limits<double>::quiet_NaN();
};

/// "nearly uniform: 1/8" where a mean entropy over rows of `keys` weights is
/// within 3 % of that of equal weights; else "". Units: bits.
std::string UniformNote(double entropy, int64_t keys);

}  // namespace heed

#endif  // HEED_EXPLAIN_HEAD_STATISTICS_H_
