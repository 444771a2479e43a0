// View of attributions beside attention.
#ifndef HEED_RENDER_SALIENCY_VIEW_H_
#define HEED_RENDER_SALIENCY_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// Attention and the attributions of each method side by side: up to four
/// targets each on the shaded input, more as heatmaps, images always on the
/// input. The scores of a target are divided by their largest magnitude;
/// negative scores have the other hue. `full`: attention weight of the full
/// shade, see ViewOptions. Below each method is its agreement with attention,
/// if known.
Drawing DrawSaliency(const ExplanationSegment& segment, double full = 1);

ExplanationView SaliencyView();

}  // namespace heed

#endif  // HEED_RENDER_SALIENCY_VIEW_H_
