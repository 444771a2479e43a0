// Glimpses of images.
#ifndef HEED_OPS_GLIMPSE_H_
#define HEED_OPS_GLIMPSE_H_

#include "heed/autograd/context.h"
#include "heed/kernels/glimpse.h"

namespace heed {

/// Size of a window, and number of scales.
using GlimpseShape = kernels::GlimpseShape;

/// Retina-like glimpse of image b at (x, y) = centres[b], each in [−1, 1]: k
/// windows of size, 2 size, 4 size .. pixels, each averaged down to size ×
/// size; zero outside the image. Differentiable only with respect to images,
/// because windows move in whole pixels. Shapes: images [B, H, W, C], centres
/// [B, 2], result [B, k size² C]. Throws: ShapeError. Paper: Mnih et al. 2014,
/// arXiv:1406.6247, section 3.1.
Var Glimpses(const Var& images, const Tensor& centres,
             const GlimpseShape& shape);

}  // namespace heed

#endif  // HEED_OPS_GLIMPSE_H_
