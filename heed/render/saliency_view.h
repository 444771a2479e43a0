// Attributions beside attention, in SVG and a terminal.
#ifndef HEED_RENDER_SALIENCY_VIEW_H_
#define HEED_RENDER_SALIENCY_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// What the model attended to and what each method says that its answers
/// depend on, side by side: up to four targets each on the shaded input, more
/// as heatmaps, of an image always on it. The scores of a target are divided by
/// their largest; what speaks against it has the other hue; `full`: the
/// attention weight of the full shade, as ViewOptions. Below each method stands
/// how far it agrees with attention, where that is known.
Drawing DrawSaliency(const ExplanationSegment& segment, double full = 1);

ExplanationView SaliencyView();

}  // namespace heed

#endif  // HEED_RENDER_SALIENCY_VIEW_H_
