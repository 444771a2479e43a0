// One head of an attention in numbers, in SVG and a terminal.
#ifndef HEED_RENDER_PANELS_VIEW_H_
#define HEED_RENDER_PANELS_VIEW_H_

#include <string>
#include <vector>

#include "heed/render/view.h"

namespace heed {

/// The tokens of rows and columns: those of the map, or numbers.
struct PanelTokens {
  std::vector<std::string> queries;
  std::vector<std::string> keys;
};

/// Throws: ShapeError unless the parts of `panels` fit each other.
PanelTokens TokensOf(const ExplanationSegment& segment,
                     const AttentionPanels& panels);

/// Scores, weights and context of a head from left to right, the values above
/// the context, so that a row of weights and a column of values meet in their
/// product. Masked scores are hatched; Σ is the sum of a row of weights. Of the
/// features the first eight stand. Above 16 keys colours replace the numbers of
/// scores and weights.
/// Throws: ShapeError unless the parts fit each other.
Drawing DrawPanels(const ExplanationSegment& segment,
                   const AttentionPanels& panels);

ExplanationView PanelsView();

}  // namespace heed

#endif  // HEED_RENDER_PANELS_VIEW_H_
