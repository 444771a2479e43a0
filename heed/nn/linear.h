// Layers that hold matrices: affine maps, embeddings and scores of words.
#ifndef HEED_NN_LINEAR_H_
#define HEED_NN_LINEAR_H_

#include <initializer_list>
#include <memory>
#include <string>

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/kernels/product_topk.h"
#include "heed/ops/linear_cross_entropy.h"

namespace heed {

/// y = x W + b. Parameters: weight [in, out], bias [out].
class Linear {
 public:
  Linear(const Scope& scope, int64_t in, int64_t out, Init init,
         bool bias = true)
      : Linear(scope, in, {out}, init, bias) {}
  /// Maps to so many features side by side, as one product; each starts as it
  /// would alone (Glorot's range depends on the size of a matrix).
  Linear(const Scope& scope, int64_t in, std::initializer_list<int64_t> outs,
         Init init, bool bias = true);

  /// Shapes: x [..., in], result [..., out].
  Var operator()(const Context& ctx, const Var& x) const;

  const Parameter& weight() const { return weight_; }
  /// Null if there is none.
  const Parameter* bias() const { return bias_; }

 private:
  Parameter& weight_;
  Parameter* bias_ = nullptr;
};

/// Rows of a table. Parameter: weight [V, M]. Copies share it.
class Embedding {
 public:
  Embedding(const Scope& scope, int64_t vocabulary, int64_t features,
            Init init);
  /// Shapes: ids i32 [...], result [..., M].
  Var operator()(const Context& ctx, const Tensor& ids) const;
  /// Rows [begin, end) of the table: [end - begin, M]. Range: 0 <= begin <= end
  /// <= V.
  Var Rows(const Context& ctx, int64_t begin, int64_t end) const;
  Parameter& weight() const { return weight_; }

 private:
  Parameter& weight_;
};

/// Scores of words: x Wᵀ + b. W is a matrix of its own or that of an embedding.
/// Parameters: weight [V, in] (unless it is an embedding's), bias [V].
class OutputProjection {
 public:
  OutputProjection(const Scope& scope, int64_t in, int64_t vocabulary,
                   Init init, bool bias);
  OutputProjection(const Scope& scope, const Embedding& embedding, bool bias);

  /// Shapes: x [..., in], result [..., V].
  Var operator()(const Context& ctx, const Var& x) const;

  /// CrossEntropy of them, without them (see LinearCrossEntropy). Shapes: x
  /// [..., in], targets i32 of as many elements as x has rows.
  CrossEntropyLoss Loss(const Context& ctx, const Var& x, const Tensor& targets,
                        const CrossEntropyOptions& options) const;

  /// The top k of x, and the `first` first, if there is a way to them that
  /// is shorter than by all scores; else an undefined result. Not for
  /// gradients. `sums`: whether log_sums is wanted. Shapes: x [R, in].
  kernels::TopKScores TopK(const Context& ctx, const Tensor& x, int k,
                           int64_t first, bool sums) const;

  /// Those of some words alone, with a copy of their weights: not for
  /// gradients. Shapes: ids i32 [O]. Throws: ShapeError for an id that is not
  /// there.
  OutputProjection Restricted(const Tensor& ids) const;

 private:
  Var Bias(const Context& ctx) const;

  OutputProjection(std::shared_ptr<const Parameter> weight, Tensor bias);

  const Parameter* weight_;
  const Parameter* bias_ = nullptr;
  Tensor constant_bias_;                         // where there is no parameter
  std::shared_ptr<const Parameter> own_weight_;  // of restricted ones
};

}  // namespace heed

#endif  // HEED_NN_LINEAR_H_
