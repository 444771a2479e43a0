// What a model is made of, unrolled over what it reads and writes.
#ifndef HEED_RENDER_MODEL_VIEW_H_
#define HEED_RENDER_MODEL_VIEW_H_

#include "heed/render/view.h"

namespace heed {

ExplanationView ModelView();

}  // namespace heed

#endif  // HEED_RENDER_MODEL_VIEW_H_
