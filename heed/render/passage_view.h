// A passage with what an answer attends to.
#ifndef HEED_RENDER_PASSAGE_VIEW_H_
#define HEED_RENDER_PASSAGE_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// Question and answer, and the passage once for each attention of the answer
/// to it (each hop), sentence by sentence, its words shaded by their weights.
ExplanationView PassageView();

}  // namespace heed

#endif  // HEED_RENDER_PASSAGE_VIEW_H_
