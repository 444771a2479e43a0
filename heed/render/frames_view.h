// View of attention step by step.
#ifndef HEED_RENDER_FRAMES_VIEW_H_
#define HEED_RENDER_FRAMES_VIEW_H_

#include "heed/explain/alignment.h"
#include "heed/render/view.h"

namespace heed {

/// A contact sheet: one frame per target token with the previous tokens and the
/// source shaded by the weights of that step. For a source longer than 40
/// tokens, a frame shows the 24 strongest.
/// Throws: ShapeError unless there is one weight per pair of tokens.
/// `full`: see ViewOptions.
Drawing DrawFrames(const AlignmentView& view, double full = 1);

ExplanationView FramesView();

}  // namespace heed

#endif  // HEED_RENDER_FRAMES_VIEW_H_
