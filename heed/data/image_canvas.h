// Images that are made from others: shifted, on a larger canvas, with clutter.
#ifndef HEED_DATA_IMAGE_CANVAS_H_
#define HEED_DATA_IMAGE_CANVAS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "heed/data/image_set.h"

namespace heed {

/// How images are changed; all of it by number, so that the same image comes
/// out whatever was made before.
struct CanvasConfig {
  int shift = 0;         ///< at most so many pixels to each side
  int canvas = 0;        ///< side of a black square to lie on anywhere; 0: none
  int clutter = 0;       ///< patches of other images beside it
  int clutter_size = 8;  ///< side of these
  bool changes() const { return shift > 0 || canvas > 0 || clutter > 0; }

  /// Of images in `own`.
  ImageFormat FormatOf(const ImageFormat& own) const {
    return canvas > 0 ? ImageFormat{canvas, canvas, own.channels} : own;
  }
};

/// Where an image was put. Units: pixels.
struct CanvasPlace {
  int64_t top = 0;
  int64_t left = 0;
};

/// Writes image `number` of the set to `out` [H, W, C], at a place and with
/// clutter that (seed, epoch, number) determine: shifted or anywhere on the
/// canvas; clutter is cut from other images and the lighter pixel stays.
/// Returns where the image lies. Throws: ConfigError, before `out` is touched,
/// for a canvas or clutter that does not fit the images.
/// Paper: Mnih et al. 2014, arXiv:1406.6247, section 4.1.
CanvasPlace PutOnCanvas(const ImageSet& set, int64_t number,
                        const CanvasConfig& config, uint64_t seed, int epoch,
                        std::span<uint8_t> out);

/// Throws: ConfigError for a canvas, a shift or clutter that does not fit such
/// images, and for clutter without a canvas.
void CheckCanvas(const CanvasConfig& config, const ImageFormat& format);

/// The images at `indices`, changed so: f32 [B, H, W, C] in 0 to 1.
Tensor CanvasBatch(const ImageSet& set, std::span<const int64_t> indices,
                   const CanvasConfig& config, uint64_t seed, int epoch);

/// All images of a set, changed once.
ImageSet OnCanvas(const ImageSet& set, const CanvasConfig& config,
                  uint64_t seed);

}  // namespace heed

#endif  // HEED_DATA_IMAGE_CANVAS_H_
