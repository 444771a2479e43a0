// View of an input with its answer, drawn by its axis kind.
#ifndef HEED_RENDER_INPUT_VIEW_H_
#define HEED_RENDER_INPUT_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// Accepts segments with an axis whose kind has a picture (AxisKind).
ExplanationView InputView();

}  // namespace heed

#endif  // HEED_RENDER_INPUT_VIEW_H_
