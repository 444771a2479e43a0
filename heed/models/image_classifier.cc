#include "heed/models/image_classifier.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/errors.h"
#include "heed/ops/check.h"
#include "heed/ops/loss.h"
#include "heed/ops/patches.h"

namespace heed {

ImageLoss ImageCrossEntropy(Var scores, const Tensor& labels,
                            const ImageLossOptions& options) {
  CrossEntropyLoss loss = CrossEntropy(std::move(scores), labels,
                                       {-1, options.smoothing, options.scale});
  return {std::move(loss.loss), loss.nll};
}

int64_t UsualCell(const ImageUse& use) {
  const int64_t longer = std::max(use.height, use.width);
  int64_t best = 1;
  const auto distance = [longer](int64_t cell) {
    return std::abs(
        std::log(static_cast<double>(longer) / static_cast<double>(7 * cell)));
  };
  for (int64_t cell = 1; cell <= std::min(use.height, use.width); ++cell) {
    if (use.height % cell != 0 || use.width % cell != 0) continue;
    if (distance(cell) < distance(best)) best = cell;
  }
  return best;
}

void CheckCell(const char* setting, int64_t cell, const ImageUse& use) {
  if (cell > 0 && use.height % cell == 0 && use.width % cell == 0) return;
  throw ConfigError("{}: {} does not divide the {} × {} pixels of the images",
                    setting, cell, use.width, use.height);
}

Var ObservedImages(const Context& ctx, const Var& images, int64_t cell) {
  if (!ctx.ObservesInput("source")) return images;
  return ImageFromPatches(ctx.Input("source", ImagePatches(images, cell)),
                          images.dim(1), images.dim(2), cell);
}

void CheckImages(const char* where, const Var& images, const ImageUse& use) {
  const Shape& shape = images.shape();
  CheckShapes(shape.rank() == 4 && shape[1] == use.height &&
                  shape[2] == use.width && shape[3] == use.channels,
              where, "images of another size than the model's",
              {shape, {use.height, use.width, use.channels}});
}

}  // namespace heed
