// View of the summed contributions to an answer over time.
#ifndef HEED_RENDER_CONTRIBUTIONS_VIEW_H_
#define HEED_RENDER_CONTRIBUTIONS_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// Shows the contribution of each item as a signed bar. Items of one group (the
/// codes of a visit) are side by side, groups in time order. Above the bars is
/// the attention to each group as a line, below them the payload "beta" of the
/// groups, shaded from −1 to 1. Accepts segments with an attribution
/// "contributions" on an axis that another axis covers by its spans.
ExplanationView ContributionsView();

}  // namespace heed

#endif  // HEED_RENDER_CONTRIBUTIONS_VIEW_H_
