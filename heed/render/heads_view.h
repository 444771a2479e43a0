// All heads of all layers as small heatmaps and in a terminal.
#ifndef HEED_RENDER_HEADS_VIEW_H_
#define HEED_RENDER_HEADS_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// A row for each layer, a column for each head; attention between the same
/// axes in groups. Below
/// each head stand its entropy and distance; the tokens stand at the first
/// tiles where they fit, and a tooltip names the strongest of each row.
/// Paper: Vig 2019, arXiv:1906.05714, figure 4.
/// `full`: as ViewOptions.
Drawing DrawHeads(const ExplanationSegment& segment, double full = 1);

ExplanationView HeadsView();

}  // namespace heed

#endif  // HEED_RENDER_HEADS_VIEW_H_
