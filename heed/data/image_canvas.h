// Augmented images: shifted, or on a larger canvas with clutter.
#ifndef HEED_DATA_IMAGE_CANVAS_H_
#define HEED_DATA_IMAGE_CANVAS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "heed/data/image_set.h"

namespace heed {

/// Augmentation of images. Image number and seed determine the result.
struct CanvasConfig {
  int shift = 0;    ///< maximum shift in each direction, in pixels
  int canvas = 0;   ///< side of a black square for a random position; 0: none
  int clutter = 0;  ///< number of patches from other images
  int clutter_size = 8;  ///< side of the patches
  bool changes() const { return shift > 0 || canvas > 0 || clutter > 0; }

  /// Format of augmented images, from the format of the original ones.
  ImageFormat FormatOf(const ImageFormat& own) const {
    return canvas > 0 ? ImageFormat{canvas, canvas, own.channels} : own;
  }
};

/// Position of an image on its canvas. Units: pixels
struct CanvasPlace {
  int64_t top = 0;
  int64_t left = 0;
};

/// Writes the augmented image `number` of the set to `out` [H, W, C]. Its
/// position and its clutter are functions of (seed, epoch, number). Patches are
/// cut from other images; the lighter pixel is kept. Returns the position.
/// Throws: ConfigError, before `out` is modified, for a canvas or clutter that
/// does not fit the images. Paper: Mnih et al. 2014, arXiv:1406.6247, section
/// 4.1.
CanvasPlace PutOnCanvas(const ImageSet& set, int64_t number,
                        const CanvasConfig& config, uint64_t seed, int epoch,
                        std::span<uint8_t> out);

/// Throws: ConfigError for a canvas, shift or clutter that does not fit the
/// images, and for clutter without a canvas.
void CheckCanvas(const CanvasConfig& config, const ImageFormat& format);

/// Augmented images at `indices`: f32 [B, H, W, C] in 0 to 1.
Tensor CanvasBatch(const ImageSet& set, std::span<const int64_t> indices,
                   const CanvasConfig& config, uint64_t seed, int epoch);

/// Augments all images of a set once.
ImageSet OnCanvas(const ImageSet& set, const CanvasConfig& config,
                  uint64_t seed);

}  // namespace heed

#endif  // HEED_DATA_IMAGE_CANVAS_H_
