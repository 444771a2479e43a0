// What a model looked at, word by word, in SVG and a terminal.
#ifndef HEED_RENDER_FRAMES_VIEW_H_
#define HEED_RENDER_FRAMES_VIEW_H_

#include "heed/explain/alignment.h"
#include "heed/render/view.h"

namespace heed {

/// A contact sheet: for each target token a frame with the tokens said so far
/// and the source shaded by the weights of that step. Of a source longer than
/// 40 tokens a frame shows the 24 strongest.
/// Throws: ShapeError unless there is one weight per pair of tokens.
/// `full`: as ViewOptions.
Drawing DrawFrames(const AlignmentView& view, double full = 1);

ExplanationView FramesView();

}  // namespace heed

#endif  // HEED_RENDER_FRAMES_VIEW_H_
