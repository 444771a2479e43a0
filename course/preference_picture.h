// Pictures of preferred patches and mean activations, in SVG and terminal.
#ifndef HEED_COURSE_PREFERENCE_PICTURE_H_
#define HEED_COURSE_PREFERENCE_PICTURE_H_

#include <string>

#include "course/preferred_patches.h"
#include "heed/render/drawing.h"
#include "heed/render/terminal.h"

namespace heed {

/// Preferences of one set of weights, with titles.
struct NamedPreferences {
  std::string title;
  std::string heading;  ///< of the picture: origin of the weights
  std::string note;
  Preferences found;
};

/// Draws a row of patches per unit, framed where they overlap the sprite. Below
/// are mean activation maps of some frames, with a colour scale.
Drawing DrawPreferences(const NamedPreferences& weights, const Images& frames);

/// Renders the first patch of as many units as fit in a line, in half blocks.
std::string PreferencesText(const NamedPreferences& weights,
                            const Images& frames,
                            const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_COURSE_PREFERENCE_PICTURE_H_
