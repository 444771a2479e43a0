// Attention as lines between two columns of tokens, in SVG.
#ifndef HEED_RENDER_LINES_SVG_H_
#define HEED_RENDER_LINES_SVG_H_

#include "heed/explain/alignment.h"
#include "heed/render/drawing.h"

namespace heed {

/// The target on the left, what it looked at on the right, and between them
/// lines whose width and opacity are the weights; below 0.03 there are none.
/// Throws: ShapeError unless there is one weight per pair of tokens.
/// Paper: Vig 2019, arXiv:1906.05714, figure 1.
Drawing DrawLines(const AlignmentView& view);

}  // namespace heed

#endif  // HEED_RENDER_LINES_SVG_H_
