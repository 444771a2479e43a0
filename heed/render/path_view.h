// View of the glimpses of a model at an image.
#ifndef HEED_RENDER_PATH_VIEW_H_
#define HEED_RENDER_PATH_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// The image with the numbered windows of each glimpse, the smallest solid and
/// the others dotted, and a line from glimpse to glimpse; the contents of the
/// windows are beside it. In a terminal, the image with the numbers; the first
/// glimpse at a place is visible. Paper: Mnih et al. 2014, arXiv:1406.6247,
/// figure 3.
ExplanationView PathView();

}  // namespace heed

#endif  // HEED_RENDER_PATH_VIEW_H_
