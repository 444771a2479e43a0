// Glimpses: image windows of high resolution in the centre and low resolution
// around it.
#ifndef HEED_KERNELS_GLIMPSE_H_
#define HEED_KERNELS_GLIMPSE_H_

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Concentric windows: the first of `size` pixels, each further scale twice as
/// wide, averaged down to size × size.
struct GlimpseShape {
  int64_t size = 8;
  int64_t scales = 1;

  int64_t features(int64_t channels) const {
    return scales * size * size * channels;
  }
  /// Side of the window of a scale. Units: pixels.
  int64_t side(int64_t scale) const { return size << scale; }
};

/// First pixel of a window of width `side` along an axis of `extent` pixels,
/// for a centre in [-1, 1]: -1 is the first pixel, 1 the last.
int64_t GlimpseBegin(double centre, int64_t side, int64_t extent);

/// y[b] = the windows of image b around (x, y) = centres[b], scale by scale,
/// row by row, channels inside; 0 outside of the image. Shapes: images [B, H,
/// W, C], centres [B, 2], result [B, scales size² C], all of one dtype.
Tensor Glimpses(const Tensor& images, const Tensor& centres,
                const GlimpseShape& shape);

/// Gradient of images of this shape; centres have none.
Tensor GlimpsesGrad(const Tensor& dy, const Tensor& centres,
                    const Shape& images, const GlimpseShape& shape);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_GLIMPSE_H_
