// Synthetic images of digits for demonstrations and tests.
#ifndef HEED_COURSE_DATA_DRAWN_DIGITS_H_
#define HEED_COURSE_DATA_DRAWN_DIGITS_H_

#include <cstdint>

#include "heed/data/image_set.h"

namespace heed {

struct DrawnDigitsConfig {
  int64_t images = 1000;
  int64_t side = 28;    ///< height and width in pixels, 8 at least
  double noise = 0.02;  ///< standard deviation of grey levels; white is 1
  uint64_t seed = 1;
};

/// Draws grey images of the digits 0 to 9, light on black, each one polyline.
/// Corners are jittered; the digit is rotated, scaled, sheared and shifted, and
/// the stroke width varies. Image i depends on (seed, i, side, noise) alone.
/// Throws: ConfigError for a side below 8 or no images.
ImageSet DrawDigits(const DrawnDigitsConfig& config);

}  // namespace heed

#endif  // HEED_COURSE_DATA_DRAWN_DIGITS_H_
