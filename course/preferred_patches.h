// What units of the last layer prefer: the patches of frames at which they are
// most active, and whether these show what moves.
#ifndef HEED_COURSE_PREFERRED_PATCHES_H_
#define HEED_COURSE_PREFERRED_PATCHES_H_

#include <cstdint>
#include <vector>

#include "course/data/moving_sprites.h"
#include "heed/nn/convolution_stack.h"

namespace heed {

/// The place of a frame at which a unit is most active.
struct PreferredPatch {
  int64_t frame = 0;
  ReceptiveField field;
  float activation = 0;
  bool touches = false;  ///< the sprite
};

struct PreferringUnit {
  int64_t unit = 0;
  double strength = 0;                  ///< mean of its maxima over all frames
  std::vector<PreferredPatch> patches;  ///< of different frames, highest first
};

struct Preferences {
  std::vector<PreferringUnit> units;  ///< the strongest first
  double touching = 0;  ///< share of their patches that touch the sprite
  /// Share of all patches of that size, at every place of every frame.
  double chance = 0;
  /// Mean activation where the middle of the patch lies on the sprite, as a
  /// multiple of that of all places; 0 where there are none.
  double focus = 0;
  /// Of each frame: the mean over all units at each place, row by row.
  std::vector<std::vector<float>> maps;
  int64_t columns = 0;  ///< of a map
};

struct PreferenceOptions {
  int64_t units = 12;
  int64_t patches = 9;  ///< of each
};

/// Frame and box i belong together.
Preferences FindPreferences(const ConvolutionStack& trunk, const Images& frames,
                            const std::vector<SpriteBox>& boxes,
                            const PreferenceOptions& options);

/// The pixels of a frame in a field; grey where it reaches beyond.
Image PatchOf(const Image& frame, const ReceptiveField& field);

}  // namespace heed

#endif  // HEED_COURSE_PREFERRED_PATCHES_H_
