// Observers of products with matrices.
#ifndef HEED_AUTOGRAD_PRODUCT_OBSERVER_H_
#define HEED_AUTOGRAD_PRODUCT_OBSERVER_H_

#include "heed/autograd/context.h"

namespace heed {

/// Observer that also sees the left factors of affine maps. Its presence forces
/// composed feed-forward layers.
class ProductObserver : public Observer {
 public:
  /// Called before a product of x with a matrix. Shapes: x [..., K], weight [K,
  /// N].
  virtual void OnProduct(const Parameter& weight, const Tensor& x) = 0;

  /// The observer of a context if it is of this kind, else null.
  static ProductObserver* Of(const Context& ctx) {
    return dynamic_cast<ProductObserver*>(ctx.observer);
  }
};

}  // namespace heed

#endif  // HEED_AUTOGRAD_PRODUCT_OBSERVER_H_
