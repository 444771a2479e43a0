// What a model looked at while it answered: values to show, write or compute
// with.
#ifndef HEED_EXPLAIN_EXPLANATION_H_
#define HEED_EXPLAIN_EXPLANATION_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "heed/explain/alignment.h"

namespace heed {

/// The tokens that the rows or columns of an attention stand for.
enum class TokenSide : uint8_t { kSource, kTarget };

/// The weights of one attention while one text was read.
/// Shapes: weights [H, T, S], row-major. Units: 0 to 1, a row sums to at
/// most 1.
struct LayerAttention {
  std::string layer;  ///< its path in the model
  TokenSide queries = TokenSide::kSource;
  TokenSide keys = TokenSide::kSource;
  int64_t heads = 0;
  int64_t query_size = 0;  ///< T
  int64_t key_size = 0;    ///< S
  std::vector<float> weights;

  float weight(int64_t head, int64_t query, int64_t key) const {
    return weights[static_cast<size_t>((head * query_size + query) * key_size +
                                       key)];
  }
  /// Mean over the heads [T, S].
  std::vector<float> MeanOfHeads() const;
  /// Of one head [T, S].
  std::vector<float> OfHead(int64_t head) const;
};

/// How sharp and how far each head looks.
struct HeadStatistics {
  /// Mean over queries of −Σ_s a log2 a. Units: bits.
  double entropy = 0;
  /// Mean over queries of Σ_s a |t − s|, of attention from one side to itself;
  /// else of |t/(T−1) − s/(S−1)|, 0 to 1. Rows without weight do not count.
  double distance = 0;
};

/// Of each head. Paper: Clark et al. 2019, arXiv:1906.04341, section 3.3
/// (entropy); Vig and Belinkov 2019, arXiv:1906.04284, eq. 2 (distance).
std::vector<HeadStatistics> StatisticsOf(const LayerAttention& attention);

/// The statistics of a layer's heads.
struct LayerStatistics {
  std::string layer;
  std::vector<HeadStatistics> heads;
  bool same_side = true;  ///< whether distances are in tokens
};

/// What each source token contributes to each target, by a method that is not
/// attention. Shapes: scores [targets, sources], row-major.
struct Attribution {
  std::string method;
  std::vector<float> scores;
  /// Integrated gradients: y(x) − y(x0) for each target, which its scores sum
  /// up to.
  std::vector<double> differences;
};

/// One head of one attention in numbers: scores, e.g. Q Kᵀ/√A, become weights
/// by the normaliser, and these times the values the context. Rows are vectors.
/// A score of −∞ may not be looked at.
struct AttentionPanels {
  std::string layer;
  int64_t head = 0;
  std::vector<std::vector<float>> query;    ///< [T][A], may be empty
  std::vector<std::vector<float>> key;      ///< [S][A], may be empty
  std::vector<std::vector<float>> scores;   ///< [T][S]
  std::vector<std::vector<float>> weights;  ///< [T][S]
  std::vector<std::vector<float>> value;    ///< [S][D]
  std::vector<std::vector<float>> context;  ///< [T][D]
};

/// How alike attention and a method order the source tokens.
struct Agreement {
  std::string method;
  double spearman = 0;  ///< mean over targets of rank correlation, −1 to 1
  double kendall = 0;   ///< mean over targets of τ-b
  int64_t targets = 0;  ///< that have an order to compare
};

/// One text, what the model said of it, and what it looked at.
struct Explanation {
  std::string task;
  std::string model;
  std::string text;
  std::string answer;
  std::vector<std::string> source;  ///< tokens that were read
  std::vector<std::string> target;  ///< what was said: tokens, tags, labels
  /// Where attention has the side kTarget: the tokens that stand in its rows
  /// and columns, <s> first, row t of which produced target t. Empty: none.
  std::vector<std::string> target_inputs;
  std::vector<LayerAttention> layers;  ///< in the order of computation
  /// The layer that says which source token a target comes from, if any.
  std::optional<size_t> alignment;
  int64_t alignment_head = -1;  ///< of that layer; −1: all, in the mean
  /// The row of that layer which belongs to each target; −1: none.
  std::vector<int64_t> alignment_rows;
  std::vector<Attribution> attributions;
  std::vector<Agreement> agreements;  ///< of the attributions with attention
  std::vector<AttentionPanels> panels;

  /// The tokens of a side.
  const std::vector<std::string>& tokens(TokenSide side) const {
    return side == TokenSide::kSource ? source : target_inputs;
  }
};

/// The place of an attention among the layers, by its path. Throws:
/// ConfigError that lists those there are.
size_t LayerNamed(const Explanation& explanation, const std::string& path);

/// The alignment's weights, of its head or the mean over heads, a row for each
/// target; zeros where there are none. Shapes: [targets, sources].
std::vector<float> AlignmentWeights(const Explanation& explanation);

/// The same with its tokens, as pictures want it. Without alignment: no tokens.
AlignmentView AlignmentOf(const Explanation& explanation);

/// One head of one layer with its tokens; `head` −1: mean of all.
AlignmentView ViewOfHead(const Explanation& explanation, size_t layer,
                         int64_t head);

/// Spearman's and Kendall's rank correlation of attention and each attribution,
/// without regard to sign; targets with less than two sources, or with all
/// alike, do not count. Fills explanation.agreements.
void CompareWithAttention(Explanation& explanation);

/// As docs/explain.md describes: version, task, model, text, answer, source,
/// target, target_inputs, layers (layer, queries, keys, heads, weights
/// [H][T][S], entropy, distance), alignment, alignment_head, alignment_rows,
/// attributions (method, scores), agreements, panels. Weights have seven
/// digits.
nlohmann::ordered_json ExplanationJson(const Explanation& explanation);

}  // namespace heed

#endif  // HEED_EXPLAIN_EXPLANATION_H_
