#include "heed/ops/patches.h"

#include "heed/kernels/convolution2d.h"
#include "heed/ops/check.h"

namespace heed {
namespace {

kernels::Window2d Tiles(int64_t size) {
  return {.size = size, .stride = size, .padding = 0};
}

}  // namespace

Var ImagePatches(const Var& images, int64_t size) {
  CheckShapes(images.shape().rank() == 4 && size > 0 &&
                  images.dim(1) % size == 0 && images.dim(2) % size == 0,
              "patches", "not images [B, H, W, C] that patches tile",
              {images.shape(), {size, size}});
  const Shape shape = images.shape();
  Tensor y = kernels::Unfold2d(images.value().Contiguous(), Tiles(size));
  y = y.Reshape(
      {shape[0], shape[1] / size * (shape[2] / size), size * size * shape[3]});
  return Record("patches", std::move(y), {images},
                [shape, size](const Tensor& dy, Grads& g) {
                  const Tensor windows = dy.Contiguous().Reshape(
                      {shape[0], shape[1] / size, shape[2] / size,
                       size * size * shape[3]});
                  g.Add(0, kernels::Unfold2dGrad(windows, shape, Tiles(size)));
                });
}

Var ImageFromPatches(const Var& patches, int64_t height, int64_t width,
                     int64_t size) {
  const bool fits = patches.shape().rank() == 3 && size > 0 &&
                    height % size == 0 && width % size == 0 &&
                    patches.dim(1) == height / size * (width / size) &&
                    patches.dim(2) % (size * size) == 0;
  CheckShapes(fits, "from patches", "not the patches [B, S, M] of an image",
              {patches.shape(), {height, width}});
  const Shape images = {patches.dim(0), height, width,
                        patches.dim(2) / (size * size)};
  const Tensor windows = patches.value().Contiguous().Reshape(
      {images[0], height / size, width / size, patches.dim(2)});
  return Record(
      "from patches", kernels::Unfold2dGrad(windows, images, Tiles(size)),
      {patches}, [size, shape = patches.shape()](const Tensor& dy, Grads& g) {
        g.Add(0,
              kernels::Unfold2d(dy.Contiguous(), Tiles(size)).Reshape(shape));
      });
}

}  // namespace heed
