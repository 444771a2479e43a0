// Small windows of images, sharp in the middle and coarse around it.
//
// Images are [B, H, W, C]; f32 and f64.
#ifndef HEED_KERNELS_GLIMPSE_H_
#define HEED_KERNELS_GLIMPSE_H_

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Windows around a place: of `size` pixels, and of twice as many each time for
/// `scales`, averaged down to size × size.
struct GlimpseShape {
  int64_t size = 8;
  int64_t scales = 1;

  int64_t features(int64_t channels) const {
    return scales * size * size * channels;
  }
  /// Side of the window of a scale. Units: pixels.
  int64_t side(int64_t scale) const { return size << scale; }
};

/// Where the window of this side begins along an axis of `extent` pixels for a
/// centre in [-1, 1], of which -1 is the first pixel and 1 the last.
int64_t GlimpseBegin(double centre, int64_t side, int64_t extent);

/// y[b] = the windows of image b around (x, y) = centres[b], scale by scale,
/// row by row, channels inside; 0 outside of the image. Shapes: images [B, H,
/// W, C], centres [B, 2], result [B, scales size² C], all of one dtype.
Tensor Glimpses(const Tensor& images, const Tensor& centres,
                const GlimpseShape& shape);

/// The gradient of images of this shape. There is none of centres.
Tensor GlimpsesGrad(const Tensor& dy, const Tensor& centres,
                    const Shape& images, const GlimpseShape& shape);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_GLIMPSE_H_
