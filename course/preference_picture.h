// Preferred patches and mean activations, in SVG and a terminal.
#ifndef HEED_COURSE_PREFERENCE_PICTURE_H_
#define HEED_COURSE_PREFERENCE_PICTURE_H_

#include <string>

#include "course/preferred_patches.h"
#include "heed/render/drawing.h"
#include "heed/render/terminal.h"

namespace heed {

/// What was found of one set of weights, and how it is called.
struct NamedPreferences {
  std::string title;
  std::string heading;  ///< of the picture, what the weights come from
  std::string note;
  Preferences found;
};

/// A row of patches for each unit, framed where they touch the sprite; below
/// them the mean activation over some of the frames, and what its red means.
Drawing DrawPreferences(const NamedPreferences& weights, const Images& frames);

/// The first patch of as many units as stand in a line, in half blocks.
std::string PreferencesText(const NamedPreferences& weights,
                            const Images& frames,
                            const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_COURSE_PREFERENCE_PICTURE_H_
