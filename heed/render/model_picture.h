// Diagram of the layers of a model.
#ifndef HEED_RENDER_MODEL_PICTURE_H_
#define HEED_RENDER_MODEL_PICTURE_H_

#include "heed/render/view.h"

namespace heed {

/// Draws layers as rows of boxes and positions as columns: the links between
/// positions, the bridge from the source to the target, and the attention.
/// Columns are the tokens of the text, if there is one; lines from the source
/// are then as wide as the weights of one step.
Drawing DrawModel(const ExplanationSegment& segment,
                  const ViewOptions& options);

}  // namespace heed

#endif  // HEED_RENDER_MODEL_PICTURE_H_
