// View of one decoder step with its computations and numbers.
#ifndef HEED_RENDER_STEP_VIEW_H_
#define HEED_RENDER_STEP_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// The steps of the model's outline from top to bottom, with lines from the
/// inputs of each step: the attention with its query, scores, weights, values
/// and context, and the output with its probabilities.
Drawing DrawStep(const ExplanationSegment& segment, const ViewOptions& options);

ExplanationView StepView();

}  // namespace heed

#endif  // HEED_RENDER_STEP_VIEW_H_
