// View of the layers of a model, unrolled over its inputs and outputs.
#ifndef HEED_RENDER_MODEL_VIEW_H_
#define HEED_RENDER_MODEL_VIEW_H_

#include "heed/render/view.h"

namespace heed {

ExplanationView ModelView();

}  // namespace heed

#endif  // HEED_RENDER_MODEL_VIEW_H_
