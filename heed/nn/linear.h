// Layers that hold matrices: affine maps and embeddings.
#ifndef HEED_NN_LINEAR_H_
#define HEED_NN_LINEAR_H_

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"

namespace heed {

/// y = x W + b. Parameters: weight [in, out], bias [out].
class Linear {
 public:
  Linear(const Scope& scope, int64_t in, int64_t out, Init init);
  /// Shapes: x [..., in], result [..., out].
  Var operator()(const Context& ctx, const Var& x) const;

 private:
  Parameter& weight_;
  Parameter& bias_;
};

/// Rows of a table. Parameter: weight [V, M].
class Embedding {
 public:
  Embedding(const Scope& scope, int64_t vocabulary, int64_t features,
            Init init);
  /// Shapes: ids i32 [...], result [..., M].
  Var operator()(const Context& ctx, const Tensor& ids) const;
  const Parameter& weight() const { return weight_; }

 private:
  Parameter& weight_;
};

}  // namespace heed

#endif  // HEED_NN_LINEAR_H_
