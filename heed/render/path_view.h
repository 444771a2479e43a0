// Where a model looked at an image, one look after the other.
#ifndef HEED_RENDER_PATH_VIEW_H_
#define HEED_RENDER_PATH_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// The image with the windows of each look, numbered, the smallest drawn
/// through and the others dotted, and a line from look to look; beside it what
/// was seen at each. In a terminal the image with the numbers, of which the
/// first look at a place is seen. Paper: Mnih et al. 2014, arXiv:1406.6247,
/// figure 3.
ExplanationView PathView();

}  // namespace heed

#endif  // HEED_RENDER_PATH_VIEW_H_
