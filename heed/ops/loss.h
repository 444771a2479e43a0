// Losses.
#ifndef HEED_OPS_LOSS_H_
#define HEED_OPS_LOSS_H_

#include <span>

#include "heed/autograd/context.h"

namespace heed {

struct CrossEntropyOptions {
  int32_t ignore_id = -1;  // rows with this target are ignored
  double smoothing = 0;    // ε of label smoothing, in [0, 1)
  double scale = 1;        // factor of the loss and its gradient: 1 / tokens
};

struct CrossEntropyLoss {
  Var loss;             // scale · Σ of the smoothed loss
  double nll = 0;       // Σ −log p(target), natural logarithm, not smoothed
  int64_t tokens = 0;   // rows that are not ignored
  int64_t correct = 0;  // rows whose largest logit is the target
};

/// −(1 − ε) log p(target) − ε/V Σ_v log p(v), with p = softmax(logits).
/// `logits` is consumed: its storage is reused for the gradient. Shapes: logits
/// [..., V], targets i32 with one element for each row of logits. Throws:
/// ShapeError for shapes or targets out of range. Paper: Szegedy et al. 2015,
/// arXiv:1512.00567 (label smoothing).
CrossEntropyLoss CrossEntropy(Var logits, const Tensor& targets,
                              const CrossEntropyOptions& options);

/// scale · Σ −t log p − (1 − t) log(1 − p) over all elements, with p = σ(logit)
/// and target t in [0, 1]; finite for all finite logits. Shapes: logits and
/// targets equal, result []. Throws: ShapeError.
Var BinaryCrossEntropy(const Var& logits, const Tensor& targets, double scale);

/// scale · Σ |y − target|; the gradient is 0 where both are equal. Shapes: y
/// and targets equal, result []. Throws: ShapeError.
Var AbsoluteLoss(const Var& y, const Tensor& targets, double scale);

/// scale · Σ of e² for |e| ≤ delta, else of δ (2 |e| − δ), with e = y − target:
/// squared errors with a bounded slope. Shapes: y and targets equal, result [].
/// Range: delta > 0; infinity gives squared errors. Throws: ShapeError. Paper:
/// Huber 1964 (half of this loss).
Var HuberLoss(const Var& y, const Tensor& targets, double delta, double scale);

/// Cross-entropy of attention weights and reference links: −scale · Σ_bts g_bts
/// log(a_bts + 10⁻⁶), with a the weights of one head, or (`head` −1) the mean
/// of all. Rows of the links g sum to 1, or to 0 if there is no reference.
/// `weights` are those of T steps, from one call or several consecutive ones.
/// Shapes: weights [B, H, T_i, S] with Σ T_i = T, links [B, T, S], result [].
/// Throws: ShapeError. Papers: Chen et al. 2016, arXiv:1607.01628; Garg et al.
/// 2019, arXiv:1909.02074.
Var AlignmentCrossEntropy(std::span<const Var> weights, const Tensor& links,
                          int64_t head, double scale);

/// Log softmax of each row.
Var LogSoftmax(const Var& x);

/// y[r] = x[r, columns[r]], 0 where the column is −1. Shapes: x [..., N],
/// columns i32 [...], result [...]. Throws: ShapeError for columns out of
/// range.
Var Pick(const Var& x, const Tensor& columns);

}  // namespace heed

#endif  // HEED_OPS_LOSS_H_
