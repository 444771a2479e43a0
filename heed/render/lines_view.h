// Attention as lines between two columns of tokens, in SVG and a terminal.
#ifndef HEED_RENDER_LINES_VIEW_H_
#define HEED_RENDER_LINES_VIEW_H_

#include "heed/explain/alignment.h"
#include "heed/render/view.h"

namespace heed {

/// The target on the left, what it looked at on the right, and between them
/// lines whose width and opacity are the weights; below 0.03 there are none.
/// Throws: ShapeError unless there is one weight per pair of tokens.
/// Paper: Vig 2019, arXiv:1906.05714, figure 1.
/// `full`: as ViewOptions.
Drawing DrawLines(const AlignmentView& view, double full = 1);

ExplanationView LinesView();

}  // namespace heed

#endif  // HEED_RENDER_LINES_VIEW_H_
