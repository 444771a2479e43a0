// A heatmap of one attention.
#ifndef HEED_RENDER_ALIGNMENT_VIEW_H_
#define HEED_RENDER_ALIGNMENT_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// Targets and what speaks for them, or a map. Phrases that changed their place
/// are outlined where an answer of several parts attends to another text.
ExplanationView AlignmentMapView();

}  // namespace heed

#endif  // HEED_RENDER_ALIGNMENT_VIEW_H_
