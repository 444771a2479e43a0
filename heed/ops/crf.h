// Linear-chain conditional random fields over tags.
#ifndef HEED_OPS_CRF_H_
#define HEED_OPS_CRF_H_

#include "heed/autograd/context.h"

namespace heed {

/// Scores of a linear chain: emissions e [B, T, C], transitions A [C, C] (from,
/// to), start s and end z [C]. The path y of row b with length n scores s[y_1]
/// + Σ_t e[b, t, y_t] + Σ_t A[y_t-1, y_t] + z[y_n].
struct Crf {
  Var emissions;
  Var transitions;
  Var start;
  Var end;
};

struct CrfLossResult {
  Var loss;        // scale · nll
  double nll = 0;  // Σ_b −log p(tags of row b), natural logarithm
};

/// −log p(tags), p(y) = exp(score(y)) / Σ_y' exp(score(y')), summed over rows.
/// Shapes: tags i32 [B, T], lengths i32 [B]; rows of length 0 are ignored.
/// Throws: ShapeError for shapes, lengths or tags out of range. Paper: Lafferty
/// et al. 2001; Lample et al. 2016, arXiv:1603.01360.
CrfLossResult CrfLoss(const Crf& crf, const Tensor& tags, const Tensor& lengths,
                      double scale);

/// log Σ_y exp(score(y)) of each row, 0 for a row of length 0. Shapes: result
/// [B]. Throws: ShapeError for shapes or lengths out of range.
Var CrfLogPartition(const Crf& crf, const Tensor& lengths);

/// Path with the largest score of each row (Viterbi), 0 for padding. Shapes:
/// result i32 [B, T]. Throws: ShapeError for shapes or lengths out of range.
Tensor CrfBestPaths(const Crf& crf, const Tensor& lengths);

/// Marginals p(y_t = c) over all paths, 0 for padding. Shapes: result [B, T,
/// C]. Throws: ShapeError for shapes or lengths out of range.
Tensor CrfMarginals(const Crf& crf, const Tensor& lengths);

}  // namespace heed

#endif  // HEED_OPS_CRF_H_
