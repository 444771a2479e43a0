// View of the reviews behind a predicted rating.
#ifndef HEED_RENDER_REVIEWS_VIEW_H_
#define HEED_RENDER_REVIEWS_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// Shows the reviews of each side with the selected ones marked, their words
/// shaded by word attention or gates, and the co-attention of the pointers
/// between the reviews of both sides. For a rating without reviews, shows its
/// components.
ExplanationView ReviewsView();

}  // namespace heed

#endif  // HEED_RENDER_REVIEWS_VIEW_H_
