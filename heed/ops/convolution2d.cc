#include "heed/ops/convolution2d.h"

#include <utility>

#include "heed/kernels/reduce.h"
#include "heed/ops/check.h"

namespace heed {
namespace {

void CheckPool(const char* op, const Var& x, int64_t size) {
  CheckShapes(
      x.shape().rank() == 4 && size > 0 && x.dim(1) >= size && x.dim(2) >= size,
      op, "not images [B, H, W, C] of at least a window", {x.shape()});
}

}  // namespace

Var Convolve2d(const Var& x, const Var& w, const Var& bias,
               const Window2d& window, kernels::Precision precision) {
  const bool fits = x.shape().rank() == 4 && w.shape().rank() == 4 &&
                    w.dim(0) == window.size && w.dim(1) == window.size &&
                    w.dim(2) == x.dim(3) && window.stride > 0 &&
                    window.padding >= 0 && window.Places(x.dim(1)) > 0 &&
                    window.Places(x.dim(2)) > 0;
  CheckShapes(fits, "convolve 2d",
              "not images [B, H, W, C] and filters [K, K, C, F] that fit",
              {x.shape(), w.shape()});
  CheckShapes(!bias.defined() || bias.shape() == Shape{w.dim(3)}, "convolve 2d",
              "a bias of another size than the filters",
              {w.shape(), bias.defined() ? bias.shape() : Shape{}});
  CheckShapes(x.value().dtype() == w.value().dtype(), "convolve 2d",
              "operands of different dtypes", {x.shape(), w.shape()});
  const Tensor images = x.value().Contiguous();
  Tensor y = kernels::Convolve2d(images, w.value(),
                                 bias.defined() ? bias.value() : Tensor(),
                                 window, precision);
  return Record(
      "convolve 2d", std::move(y), {x, w, bias},
      [images, weight = w.value(), window, precision](const Tensor& dy,
                                                      Grads& g) {
        const Tensor dense = dy.Contiguous();
        if (g.Needs(0)) {
          g.Add(0, kernels::Convolve2dInputGrad(dense, weight, images.shape(),
                                                window, precision));
        }
        if (g.Needs(1)) {
          kernels::Convolve2dWeightGrad(images, dense, window, precision,
                                        g.Accumulate(1));
        }
        if (g.Needs(2)) kernels::ColumnSumTo(g.Accumulate(2), dense);
      });
}

Var MaxPool2d(const Var& x, int64_t size) {
  CheckPool("max pool 2d", x, size);
  Tensor places;
  Tensor y = kernels::MaxPool2d(x.value(), size, places);
  return Record("max pool 2d", std::move(y), {x},
                [places, shape = x.shape(), size](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::MaxPool2dGrad(dy, places, shape, size));
                });
}

Var MeanPool2d(const Var& x, int64_t size) {
  CheckPool("mean pool 2d", x, size);
  return Record("mean pool 2d", kernels::MeanPool2d(x.value(), size), {x},
                [shape = x.shape(), size](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::MeanPool2dGrad(dy, shape, size));
                });
}

}  // namespace heed
