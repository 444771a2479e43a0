// Layer normalisation.
#ifndef HEED_NN_NORM_H_
#define HEED_NN_NORM_H_

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/ops/residual.h"

namespace heed {

/// (x − mean) / √(variance + ε) · gain + bias over the last dimension.
/// Paper: Ba et al. 2016, arXiv:1607.06450.
class LayerNormalization {
 public:
  LayerNormalization(const Scope& scope, int64_t features,
                     double epsilon = 1e-5);
  Var operator()(const Context& ctx, const Var& x) const;
  /// LayerNorm of x + Dropout(y); also returns the sum.
  AddNormResult Sum(const Context& ctx, const Var& x, const Var& y,
                    double dropout) const;

 private:
  Parameter& gain_;
  Parameter& bias_;
  double epsilon_;
};

}  // namespace heed

#endif  // HEED_NN_NORM_H_
