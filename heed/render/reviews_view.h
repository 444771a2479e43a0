// What was read of two sets of reviews for a rating.
#ifndef HEED_RENDER_REVIEWS_VIEW_H_
#define HEED_RENDER_REVIEWS_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// The reviews of each side, those that pointers are at marked, their words
/// shaded by word attention or by gates, and which review of the one fits each
/// of the other (the co-attention of the pointers). Of a rating that no reviews
/// were read for, how it is made up.
ExplanationView ReviewsView();

}  // namespace heed

#endif  // HEED_RENDER_REVIEWS_VIEW_H_
