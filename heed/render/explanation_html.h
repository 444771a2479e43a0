// Explanations as a page to explore.
#ifndef HEED_RENDER_EXPLANATION_HTML_H_
#define HEED_RENDER_EXPLANATION_HTML_H_

#include <span>
#include <string>

#include "heed/explain/alignment.h"
#include "heed/explain/explanation.h"

namespace heed {

/// One HTML page, complete in itself and without outside requests: choose text,
/// layer and head; look at words, heatmap, lines, all heads, frames step by
/// step, panels and attributions; by pointer, touch or keyboard, in light or
/// dark. It holds the weights, rounded to four digits, as JSON.
/// Throws: ShapeError if parts of an explanation do not fit each other.
std::string ExplanationHtml(std::span<const Explanation> explanations);

/// The same page for alignments alone.
/// Throws: ShapeError unless there is one weight per pair of tokens.
std::string AlignmentHtml(std::span<const AlignmentView> views);

}  // namespace heed

#endif  // HEED_RENDER_EXPLANATION_HTML_H_
