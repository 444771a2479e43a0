// View of one attention head in numbers.
#ifndef HEED_RENDER_PANELS_VIEW_H_
#define HEED_RENDER_PANELS_VIEW_H_

#include <string>
#include <vector>

#include "heed/render/view.h"

namespace heed {

/// Tokens of rows and columns: those of the map, or numbers.
struct PanelTokens {
  std::vector<std::string> queries;
  std::vector<std::string> keys;
};

/// Throws: ShapeError if the parts of `panels` are inconsistent.
PanelTokens TokensOf(const ExplanationSegment& segment,
                     const AttentionPanels& panels);

/// Scores, weights and context of a head from left to right, with the values
/// above the context, so that a row of weights and a column of values meet in
/// their product. Masked scores are hatched; Σ is the sum of a row of weights.
/// The first eight features are shown. Above 16 keys, colours replace the
/// numbers of scores and weights.
/// Throws: ShapeError if the parts are inconsistent.
Drawing DrawPanels(const ExplanationSegment& segment,
                   const AttentionPanels& panels);

ExplanationView PanelsView();

}  // namespace heed

#endif  // HEED_RENDER_PANELS_VIEW_H_
