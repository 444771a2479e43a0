// Scores of all pairs of words, from embeddings and from projections.
#ifndef HEED_COURSE_SCORE_MATRICES_H_
#define HEED_COURSE_SCORE_MATRICES_H_

#include "course/token_tasks.h"

namespace heed {

/// Score matrices of one sequence, f64 [S, S]: row t has the scores of query t.
struct ScoreMatrices {
  Tensor products;  // X Xᵀ / √M
  Tensor cosines;   // x_tᵀ x_s / (‖x_t‖ ‖x_s‖)
  Tensor scores;    // Q Kᵀ / √D
};

/// Computes the matrices of row `row` of a batch, without padding. Throws:
/// ShapeError.
ScoreMatrices MatricesOf(const TokenAttention& model, const TokenBatch& batch,
                         int64_t row);

/// Statistics of a score matrix.
struct MatrixFacts {
  /// Σ a_ts a_st / Σ a_ts² over t ≠ s: 1 for a symmetric matrix, 0 if the
  /// matrix and its transpose are uncorrelated, −1 for an antisymmetric matrix.
  double symmetry = 0;
  /// Σ |a_tt| / Σ |a_ts|; 1 / S if all entries are equal.
  double diagonal = 0;
  /// Mean weight of a word for itself after a softmax of its row.
  double own_weight = 0;
  /// Share of rows whose largest score is at a correct token.
  double right = 0;
};

/// Computes the statistics. `tokens`: ids of the S tokens; `wanted`: the
/// correct answer of each. Throws: ShapeError.
MatrixFacts FactsOf(const Tensor& matrix, const std::vector<int32_t>& tokens,
                    const std::vector<int32_t>& wanted);

/// Means over all sequences of a batch with one answer per token.
struct MeanFacts {
  MatrixFacts products;
  MatrixFacts cosines;
  MatrixFacts scores;
};
MeanFacts MeanFactsOf(const TokenAttention& model, const TokenBatch& batch);

}  // namespace heed

#endif  // HEED_COURSE_SCORE_MATRICES_H_
