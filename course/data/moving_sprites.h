// Synthetic clips of a sprite that moves over a textured background.
#ifndef HEED_COURSE_DATA_MOVING_SPRITES_H_
#define HEED_COURSE_DATA_MOVING_SPRITES_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/clips.h"

namespace heed {

/// Kinds of sprites.
inline constexpr std::array kSpriteKinds = {"disc",    "ring",  "triangle",
                                            "diamond", "spark", "star"};

struct MovingSpritesConfig {
  int64_t clips = 1000;
  int64_t side = 48;  ///< height and width of a frame in pixels, 24 at least
  uint64_t seed = 1;
};

/// Bounding box of the pixels that a sprite covers.
struct SpriteBox {
  int64_t left = 0;
  int64_t top = 0;
  int64_t right = 0;   ///< first column beyond
  int64_t bottom = 0;  ///< first row beyond
  bool operator==(const SpriteBox&) const = default;
};

/// Grey clips of kWindowFrames frames.
struct MovingSprites {
  Clips clips;
  std::vector<int32_t> kinds;    ///< of each clip, index into kSpriteKinds
  std::vector<SpriteBox> boxes;  ///< of each frame
};

/// Draws clips. In each, one sprite, light with a dark rim or dark with a light
/// rim, moves over static noise. It follows an arc at constant speed and stays
/// inside the frame. Clip i depends on (seed, i, side) alone. Throws:
/// ConfigError for a side below 24, no clips, or too many.
MovingSprites DrawMovingSprites(const MovingSpritesConfig& config);

}  // namespace heed

#endif  // HEED_COURSE_DATA_MOVING_SPRITES_H_
