// All heads of all layers as small heatmaps in SVG.
#ifndef HEED_RENDER_HEADS_SVG_H_
#define HEED_RENDER_HEADS_SVG_H_

#include "heed/explain/explanation.h"
#include "heed/render/drawing.h"

namespace heed {

/// A row for each layer, a column for each head; attention of the encoder to
/// itself, of the decoder to itself and from one to the other in groups. Below
/// each head stand its entropy and distance; the tokens stand at the first
/// tiles where they fit, and a tooltip names the strongest of each row.
/// Paper: Vig 2019, arXiv:1906.05714, figure 4.
Drawing DrawHeads(const Explanation& explanation);

}  // namespace heed

#endif  // HEED_RENDER_HEADS_SVG_H_
