// The scores of all pairs of words, as embeddings and as projections give them.
#ifndef HEED_COURSE_SCORE_MATRICES_H_
#define HEED_COURSE_SCORE_MATRICES_H_

#include "course/token_tasks.h"

namespace heed {

/// Of the words of one sequence, f64 [S, S]: row t is what t gives to each s.
struct ScoreMatrices {
  Tensor products;  // X Xᵀ / √M
  Tensor cosines;   // x_tᵀ x_s / (‖x_t‖ ‖x_s‖)
  Tensor scores;    // Q Kᵀ / √D
};

/// Of row `row` of a batch, in which padding does not count. Throws:
/// ShapeError.
ScoreMatrices MatricesOf(const TokenAttention& model, const TokenBatch& batch,
                         int64_t row);

/// What a matrix of scores is like.
struct MatrixFacts {
  /// Σ a_ts a_st / Σ a_ts² over t ≠ s: 1 where the matrix is its transpose, 0
  /// where the two have nothing in common, −1 where one is the other's
  /// negative.
  double symmetry = 0;
  /// Σ |a_tt| / Σ |a_ts|; 1 / S of equal entries.
  double diagonal = 0;
  /// Mean weight of a word for itself: softmax of its row.
  double own_weight = 0;
  /// Share of the rows whose largest score is at a token that is wanted.
  double right = 0;
};

/// `tokens` and `wanted`: ids of the S tokens, and what each should answer.
/// Throws: ShapeError.
MatrixFacts FactsOf(const Tensor& matrix, const std::vector<int32_t>& tokens,
                    const std::vector<int32_t>& wanted);

/// The means of all sequences of a batch with one answer.
struct MeanFacts {
  MatrixFacts products;
  MatrixFacts cosines;
  MatrixFacts scores;
};
MeanFacts MeanFactsOf(const TokenAttention& model, const TokenBatch& batch);

}  // namespace heed

#endif  // HEED_COURSE_SCORE_MATRICES_H_
