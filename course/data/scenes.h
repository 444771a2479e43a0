// Synthetic images of a few shapes, with captions.
#ifndef HEED_COURSE_DATA_SCENES_H_
#define HEED_COURSE_DATA_SCENES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/captions.h"

namespace heed {

inline constexpr int64_t kSceneSide = 56;

struct ScenesConfig {
  int64_t scenes = 1000;
  uint64_t seed = 1;
};

/// Draws scenes of kSceneSide² pixels in colour on a light, textured
/// background. A scene has one to three shapes (circle, square, triangle,
/// cross; red, blue, yellow, black; small, large) in distinct cells of a 4 × 4
/// grid. A caption names them row by row, from the left:
///   a small red circle left of a large blue square above a small black cross
/// "left of" joins shapes of one row, "above" shapes of different rows. Scene i
/// depends on (seed, i) alone. Throws: ConfigError for no scenes.
CaptionedImages DrawScenes(const ScenesConfig& config);

}  // namespace heed

#endif  // HEED_COURSE_DATA_SCENES_H_
