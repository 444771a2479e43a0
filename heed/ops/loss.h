// Losses.
#ifndef HEED_OPS_LOSS_H_
#define HEED_OPS_LOSS_H_

#include <span>

#include "heed/autograd/context.h"

namespace heed {

struct CrossEntropyOptions {
  int32_t ignore_id = -1;  // rows with this target do not count
  double smoothing = 0;    // ε of label smoothing, in [0, 1)
  double scale = 1;        // of the loss and so of its gradient: 1 / tokens
};

struct CrossEntropyLoss {
  Var loss;             // scale · Σ of the smoothed loss
  double nll = 0;       // Σ −log p(target), natural logarithm, not smoothed
  int64_t tokens = 0;   // rows that count
  int64_t correct = 0;  // rows whose largest logit is the target's
};

/// −(1 − ε) log p(target) − ε/V Σ_v log p(v), with p = softmax(logits).
/// `logits` is consumed: the gradient takes its storage. Shapes: logits
/// [..., V], targets i32 of as many elements as logits has rows.
/// Throws: ShapeError for shapes or targets out of range.
/// Paper: Szegedy et al. 2015, arXiv:1512.00567 (label smoothing).
CrossEntropyLoss CrossEntropy(Var logits, const Tensor& targets,
                              const CrossEntropyOptions& options);

/// scale · Σ −t log p − (1 − t) log(1 − p) of every element, with p = σ(logit)
/// and t its target in [0, 1]; finite for all finite logits. Shapes: logits and
/// targets equal, result []. Throws: ShapeError.
Var BinaryCrossEntropy(const Var& logits, const Tensor& targets, double scale);

/// scale · Σ |y − target|; its gradient is 0 where both are equal. Shapes: y
/// and targets equal, result []. Throws: ShapeError.
Var AbsoluteLoss(const Var& y, const Tensor& targets, double scale);

/// scale · Σ of e² up to |e| = delta and of δ (2 |e| − δ) behind it, with
/// e = y − target: squares of errors whose slope is bounded. Shapes: as
/// AbsoluteLoss. Range: delta > 0; infinity gives the squares alone. Throws:
/// ShapeError. Paper: Huber 1964 (of which it is twice).
Var HuberLoss(const Var& y, const Tensor& targets, double delta, double scale);

/// −scale · Σ_bts g_bts log(a_bts + 10⁻⁶), with a the weights of one head, or
/// (`head` −1) the mean of all: how far an attention is from the links g, whose
/// rows sum to 1, or to 0 where they say nothing. `weights` are those of T
/// steps, of one call or of several behind each other.
/// Shapes: weights [B, H, T_i, S] with Σ T_i = T, links [B, T, S], result [].
/// Throws: ShapeError.
/// Papers: Chen et al. 2016, arXiv:1607.01628; Garg et al. 2019,
/// arXiv:1909.02074.
Var AlignmentCrossEntropy(std::span<const Var> weights, const Tensor& links,
                          int64_t head, double scale);

/// log softmax of every row.
Var LogSoftmax(const Var& x);

/// y[r] = x[r, columns[r]]. Shapes: x [..., N], columns i32 [...], result
/// [...], 0 where a column is −1. Throws: ShapeError for columns that do not
/// fit.
Var Pick(const Var& x, const Tensor& columns);

}  // namespace heed

#endif  // HEED_OPS_LOSS_H_
