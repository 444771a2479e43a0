// Patches of frames that maximise the activation of units of the last layer,
// and their overlap with the moving sprite.
#ifndef HEED_COURSE_PREFERRED_PATCHES_H_
#define HEED_COURSE_PREFERRED_PATCHES_H_

#include <cstdint>
#include <vector>

#include "course/data/moving_sprites.h"
#include "heed/nn/convolution_stack.h"

namespace heed {

/// Position in a frame at which a unit is most active.
struct PreferredPatch {
  int64_t frame = 0;
  ReceptiveField field;
  float activation = 0;
  bool touches = false;  ///< overlaps the sprite
};

struct PreferringUnit {
  int64_t unit = 0;
  double strength = 0;  ///< mean over frames of the unit's maximum
  std::vector<PreferredPatch> patches;  ///< of different frames, highest first
};

struct Preferences {
  std::vector<PreferringUnit> units;  ///< ordered by strength, strongest first
  double touching = 0;  ///< share of their patches that overlap the sprite
  /// Share of patches at all positions of all frames that overlap the sprite.
  double chance = 0;
  /// Mean activation where the centre of the patch is on the sprite, relative
  /// to the mean over all positions; 0 if there are no such positions.
  double focus = 0;
  /// For each frame, the mean over all units at each position, row by row.
  std::vector<std::vector<float>> maps;
  int64_t columns = 0;  ///< of a map
};

struct PreferenceOptions {
  int64_t units = 12;
  int64_t patches = 9;  ///< of each
};

/// Finds the preferences. Box i is the sprite of frame i.
Preferences FindPreferences(const ConvolutionStack& trunk, const Images& frames,
                            const std::vector<SpriteBox>& boxes,
                            const PreferenceOptions& options);

/// Returns the pixels of a frame in a field; grey outside the frame.
Image PatchOf(const Image& frame, const ReceptiveField& field);

}  // namespace heed

#endif  // HEED_COURSE_PREFERRED_PATCHES_H_
