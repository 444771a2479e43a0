// Attributions beside attention, in SVG.
#ifndef HEED_RENDER_SALIENCY_SVG_H_
#define HEED_RENDER_SALIENCY_SVG_H_

#include "heed/explain/explanation.h"
#include "heed/render/drawing.h"

namespace heed {

/// What the model attended to and what each method says that its answers
/// depend on, side by side: up to four targets as shaded text, more as
/// heatmaps. The scores of a target are divided by their largest; what speaks
/// against it has the other hue. Below each method stands how far it agrees
/// with attention, where explanation.agreements says so.
Drawing DrawSaliency(const Explanation& explanation);

}  // namespace heed

#endif  // HEED_RENDER_SALIENCY_SVG_H_
