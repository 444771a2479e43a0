// View of all heads of all layers as small heatmaps.
#ifndef HEED_RENDER_HEADS_VIEW_H_
#define HEED_RENDER_HEADS_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// A row per layer, a column per head; maps of the same axes form a group.
/// Below each head are its entropy and distance. Tokens are shown at the first
/// tiles where they fit; tooltips name the strongest of each row.
/// Paper: Vig 2019, arXiv:1906.05714, figure 4.
/// `full`: see ViewOptions.
Drawing DrawHeads(const ExplanationSegment& segment, double full = 1);

ExplanationView HeadsView();

}  // namespace heed

#endif  // HEED_RENDER_HEADS_VIEW_H_
