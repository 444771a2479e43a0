// Convolutional layer for images.
#ifndef HEED_NN_CONVOLUTION2D_H_
#define HEED_NN_CONVOLUTION2D_H_

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/ops/convolution2d.h"

namespace heed {

/// y = x * w + b. Parameters: weight [K, K, C, F], bias [F]. Weights start
/// uniform in ±√(6 / (K² C)), for a following relu (He et al. 2015,
/// arXiv:1502.01852).
class Convolution2d {
 public:
  Convolution2d(const Scope& scope, int64_t channels, int64_t filters,
                const Window2d& window);

  /// Shapes: x [B, H, W, C], result [B, H', W', F]. Throws: ShapeError.
  Var operator()(const Context& ctx, const Var& x) const;

 private:
  Parameter& weight_;
  Parameter& bias_;
  Window2d window_;
};

}  // namespace heed

#endif  // HEED_NN_CONVOLUTION2D_H_
