// View of a passage with the attention of an answer.
#ifndef HEED_RENDER_PASSAGE_VIEW_H_
#define HEED_RENDER_PASSAGE_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// Shows question and answer, and the passage once per attention of the answer
/// to it (each hop), sentence by sentence, with shaded words.
ExplanationView PassageView();

}  // namespace heed

#endif  // HEED_RENDER_PASSAGE_VIEW_H_
