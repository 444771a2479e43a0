// Images of a few shapes that are drawn by number, and what they show in words.
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

/// Scenes of kSceneSide² pixels in colour on a light, textured ground: one to
/// three shapes (circle, square, triangle, cross; red, blue, yellow, black;
/// small, large), each in a place of its own of a grid of 4 × 4. A caption
/// names them row by row, from the left:
///   a small red circle left of a large blue square above a small black cross
/// "left of" in one row of the grid, "above" otherwise. Scene i depends on
/// (seed, i) alone; the seed of other scenes leads to other ones. Throws:
/// ConfigError for no scenes.
CaptionedImages DrawScenes(const ScenesConfig& config);

}  // namespace heed

#endif  // HEED_COURSE_DATA_SCENES_H_
