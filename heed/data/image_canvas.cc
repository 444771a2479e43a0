#include "heed/data/image_canvas.h"

#include <algorithm>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/threads.h"

namespace heed {
namespace {

/// A rectangle of an image, and its position on the canvas.
struct Cut {
  int64_t from_top, from_left, top, left, height, width;
};

/// Copies the part that lies on the canvas; the lighter pixel is kept.
void Paste(std::span<const uint8_t> image, const ImageFormat& own, Cut cut,
           const ImageFormat& canvas, std::span<uint8_t> out) {
  for (int64_t y = 0; y < cut.height; ++y) {
    const int64_t to_y = cut.top + y;
    if (to_y < 0 || to_y >= canvas.height) continue;
    for (int64_t x = 0; x < cut.width; ++x) {
      const int64_t to_x = cut.left + x;
      if (to_x < 0 || to_x >= canvas.width) continue;
      for (int64_t c = 0; c < own.channels; ++c) {
        const auto from = static_cast<size_t>(
            ((cut.from_top + y) * own.width + cut.from_left + x) *
                own.channels +
            c);
        uint8_t& to = At(out, (to_y * canvas.width + to_x) * own.channels + c);
        to = std::max(to, image[from]);
      }
    }
  }
}

/// Random number from 0 to n − 1.
int64_t Drawn(Rng& rng, int64_t n) {
  return static_cast<int64_t>(rng.Below(static_cast<uint64_t>(n)));
}

}  // namespace

void CheckCanvas(const CanvasConfig& config, const ImageFormat& format) {
  const int64_t side = std::max(format.height, format.width);
  if (config.canvas > 0 && config.canvas < side) {
    throw ConfigError(
        "canvas: {} pixels are less than the {} × {} of the images",
        config.canvas, format.width, format.height);
  }
  if (config.shift >= std::min(format.height, format.width)) {
    throw ConfigError("shift: {} pixels leave nothing of the {} × {} of images",
                      config.shift, format.width, format.height);
  }
  if (config.clutter > 0 && config.canvas == 0) {
    throw ConfigError(
        "clutter: {} patches lie beside the image; give it a --canvas that is "
        "larger",
        config.clutter);
  }
  if (config.clutter > 0 &&
      config.clutter_size > std::min(format.height, format.width)) {
    throw ConfigError(
        "clutter_size: {} pixels are more than the {} × {} of the images",
        config.clutter_size, format.width, format.height);
  }
}

CanvasPlace PutOnCanvas(const ImageSet& set, int64_t number,
                        const CanvasConfig& config, uint64_t seed, int epoch,
                        std::span<uint8_t> out) {
  CheckCanvas(config, set.format);
  const ImageFormat& own = set.format;
  const ImageFormat canvas = config.FormatOf(own);
  Rng rng(Rng(Rng(seed, static_cast<uint64_t>(epoch)).Next(),
              static_cast<uint64_t>(number))
              .Next());
  std::ranges::fill(out, 0);
  CanvasPlace place;
  if (config.canvas > 0) {
    place = {Drawn(rng, canvas.height - own.height + 1),
             Drawn(rng, canvas.width - own.width + 1)};
  } else if (config.shift > 0) {
    place = {Drawn(rng, 2 * config.shift + 1) - config.shift,
             Drawn(rng, 2 * config.shift + 1) - config.shift};
  }
  Paste(set.PixelsOf(number), own,
        {0, 0, place.top, place.left, own.height, own.width}, canvas, out);
  const int64_t side = config.clutter_size;
  for (int i = 0; i < config.clutter; ++i) {
    int64_t other = Drawn(rng, set.size());
    if (other == number && set.size() > 1) other = (other + 1) % set.size();
    Paste(set.PixelsOf(other), own,
          {Drawn(rng, own.height - side + 1), Drawn(rng, own.width - side + 1),
           Drawn(rng, canvas.height - side + 1),
           Drawn(rng, canvas.width - side + 1), side, side},
          canvas, out);
  }
  return place;
}

Tensor CanvasBatch(const ImageSet& set, std::span<const int64_t> indices,
                   const CanvasConfig& config, uint64_t seed, int epoch) {
  if (!config.changes()) return ImageBatch(set, indices);
  CheckCanvas(config, set.format);
  const ImageFormat format = config.FormatOf(set.format);
  std::vector<uint8_t> pixels(indices.size() *
                              static_cast<size_t>(format.size()));
  ParallelForEach(std::ssize(indices), 16, [&](int64_t i) {
    PutOnCanvas(
        set, At(indices, i), config, seed, epoch,
        std::span(pixels).subspan(static_cast<size_t>(i * format.size()),
                                  static_cast<size_t>(format.size())));
  });
  return ImageTensor(pixels, format);
}

ImageSet OnCanvas(const ImageSet& set, const CanvasConfig& config,
                  uint64_t seed) {
  if (!config.changes()) return set;
  CheckCanvas(config, set.format);
  ImageSet result;
  result.format = config.FormatOf(set.format);
  result.labels = set.labels;
  result.classes = set.classes;
  result.pixels.resize(static_cast<size_t>(set.size() * result.format.size()));
  ParallelForEach(set.size(), 16, [&](int64_t i) {
    PutOnCanvas(set, i, config, seed, 0,
                std::span(result.pixels)
                    .subspan(static_cast<size_t>(i * result.format.size()),
                             static_cast<size_t>(result.format.size())));
  });
  return result;
}

}  // namespace heed
