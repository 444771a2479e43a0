// Affine maps and embeddings.
#ifndef HEED_NN_LINEAR_H_
#define HEED_NN_LINEAR_H_

#include <initializer_list>
#include <string>

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/ops/feed_forward.h"

namespace heed {

/// y = x W + b. Parameters: weight [in, out], bias [out].
class Linear {
 public:
  Linear(const Scope& scope, int64_t in, int64_t out, Init init,
         bool bias = true)
      : Linear(scope, in, {out}, init, bias) {}
  /// Several maps with outputs side by side, computed as one product. Each is
  /// initialised like a separate map (Glorot's range depends on the matrix
  /// size).
  Linear(const Scope& scope, int64_t in, std::initializer_list<int64_t> outs,
         Init init, bool bias = true);

  /// Shapes: x [..., in], result [..., out].
  Var operator()(const Context& ctx, const Var& x) const;

  /// Parameters as operands; the bias is undefined if there is none.
  AffineMap Use(const Context& ctx) const {
    return {ctx.Use(weight_), bias_ == nullptr ? Var() : ctx.Use(*bias_)};
  }

  const Parameter& weight() const { return weight_; }
  /// Null if the layer has no bias.
  const Parameter* bias() const { return bias_; }

 private:
  Parameter& weight_;
  Parameter* bias_ = nullptr;
};

/// Table whose rows are looked up. Parameter: weight [V, M], shared by copies.
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

}  // namespace heed

#endif  // HEED_NN_LINEAR_H_
