// Linear-chain conditional random fields, f32 and f64.
//
// The score of a path y of n tags through a row of emissions e is
//   start[y_1] + Σ_t e[t, y_t] + Σ_t transitions[y_t-1, y_t] + end[y_n].
// Rows of length 0 have one path, of score 0.
#ifndef HEED_KERNELS_CRF_H_
#define HEED_KERNELS_CRF_H_

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Scores of a linear chain, or their gradients. Shapes: emissions [B, T, C],
/// transitions [C, C] (from, to), start and end [C].
struct CrfScores {
  Tensor emissions;
  Tensor transitions;
  Tensor start;
  Tensor end;
};

/// Negative log-likelihood of the tags: Σ_b log Σ_y exp(score of y) − score of
/// the given tags. Sets `gradient` unless it is null. Shapes: tags i32 [B, T],
/// lengths i32 [B]. Range: lengths 0 to T, tags within them 0 to C − 1. Paper:
/// Lafferty et al. 2001.
double CrfLoss(const CrfScores& x, const Tensor& tags, const Tensor& lengths,
               CrfScores* gradient);

/// log Σ_y exp(score of y) of each row, 0 for a row of length 0. Shapes: result
/// [B].
Tensor CrfLogPartition(const CrfScores& x, const Tensor& lengths);
/// Gradient of CrfLogPartition; for emissions dy_b p(y_t = c). Shapes: dy [B].
CrfScores CrfLogPartitionGradient(const CrfScores& x, const Tensor& lengths,
                                  const Tensor& dy);

/// Tags of the path with the largest score, 0 for padding; any one of equal
/// paths. Shapes: result i32 [B, T]. Paper: Viterbi 1967.
Tensor CrfBestPaths(const CrfScores& x, const Tensor& lengths);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_CRF_H_
