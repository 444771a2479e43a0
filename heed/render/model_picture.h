// The layers of a model as a picture.
#ifndef HEED_RENDER_MODEL_PICTURE_H_
#define HEED_RENDER_MODEL_PICTURE_H_

#include "heed/render/view.h"

namespace heed {

/// Layers as rows of boxes, positions as columns: how they meet, what carries
/// the source to what is written, and where attention stands. Columns are the
/// tokens of the text, if there is one, and lines from the source are then as
/// wide as the weights of one step.
Drawing DrawModel(const ExplanationSegment& segment,
                  const ViewOptions& options);

}  // namespace heed

#endif  // HEED_RENDER_MODEL_PICTURE_H_
