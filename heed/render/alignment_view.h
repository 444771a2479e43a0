// View of one attention as a heatmap.
#ifndef HEED_RENDER_ALIGNMENT_VIEW_H_
#define HEED_RENDER_ALIGNMENT_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// Shows the attention of the targets, or a chosen map, as a heatmap. Reordered
/// phrases are outlined if a multi-part answer attends to another text.
ExplanationView AlignmentMapView();

}  // namespace heed

#endif  // HEED_RENDER_ALIGNMENT_VIEW_H_
