// Feed-forward sublayer: two affine maps with an activation in between.
#ifndef HEED_OPS_FEED_FORWARD_H_
#define HEED_OPS_FEED_FORWARD_H_

#include "heed/autograd/context.h"
#include "heed/kernels/activation.h"

namespace heed {

/// Weight [K, N] and bias [N] of an affine map.
struct AffineMap {
  Var weight;
  Var bias;
};

/// y = Dropout(f(x W1 + b1)) W2 + b2, with dropout of `rate`; equal to the
/// separate operations. Hidden activations are stored in the precision of the
/// products. Shapes: x [..., K], W1 [K, N], W2 [N, M], y [..., M]. Throws:
/// ShapeError; Cancelled, between both products. Paper: Vaswani et al. 2017,
/// arXiv:1706.03762, 3.3.
Var PositionwiseFeedForward(const Context& ctx, const Var& x,
                            const AffineMap& in, kernels::Activation f,
                            double rate, const AffineMap& out);

}  // namespace heed

#endif  // HEED_OPS_FEED_FORWARD_H_
