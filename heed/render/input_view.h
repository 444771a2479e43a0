// An input as its kind of axis draws it, with its answer.
#ifndef HEED_RENDER_INPUT_VIEW_H_
#define HEED_RENDER_INPUT_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// Accepts segments of which the kind of an axis has a picture (AxisKind).
ExplanationView InputView();

}  // namespace heed

#endif  // HEED_RENDER_INPUT_VIEW_H_
