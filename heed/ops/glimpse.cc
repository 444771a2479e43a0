#include "heed/ops/glimpse.h"

#include "heed/ops/check.h"

namespace heed {

Var Glimpses(const Var& images, const Tensor& centres,
             const GlimpseShape& shape) {
  CheckShapes(images.shape().rank() == 4 && images.dim(1) > 0 &&
                  images.dim(2) > 0 && shape.size > 0 && shape.scales > 0 &&
                  centres.shape() == Shape({images.dim(0), 2}),
              "glimpses", "not images [B, H, W, C] with centres [B, 2]",
              {images.shape(), centres.shape()});
  const Tensor places = centres.To(images.value().dtype());
  return Record(
      "glimpses", kernels::Glimpses(images.value().Contiguous(), places, shape),
      {images},
      [places, shape, of = images.shape()](const Tensor& dy, Grads& g) {
        g.Add(0, kernels::GlimpsesGrad(dy.Contiguous(), places, of, shape));
      });
}

}  // namespace heed
