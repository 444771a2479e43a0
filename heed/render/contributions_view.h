// The parts that an answer is the sum of, over time.
#ifndef HEED_RENDER_CONTRIBUTIONS_VIEW_H_
#define HEED_RENDER_CONTRIBUTIONS_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// What each item contributes as a signed bar, items of one group (the codes of
/// a visit) side by side, groups in the order of time; above them the attention
/// to each group as a line, below them what the payload of the groups has as
/// "beta", shaded from −1 to 1. Of segments with an attribution "contributions"
/// whose axis another one covers by its spans.
ExplanationView ContributionsView();

}  // namespace heed

#endif  // HEED_RENDER_CONTRIBUTIONS_VIEW_H_
