// One head of an attention in numbers, in SVG.
#ifndef HEED_RENDER_PANELS_SVG_H_
#define HEED_RENDER_PANELS_SVG_H_

#include <string>
#include <vector>

#include "heed/explain/explanation.h"
#include "heed/render/drawing.h"

namespace heed {

/// The tokens of rows and columns: those of the layer of that name, or numbers.
struct PanelTokens {
  std::vector<std::string> queries;
  std::vector<std::string> keys;
};

/// Throws: ShapeError unless the parts of `panels` fit each other.
PanelTokens TokensOf(const Explanation& explanation,
                     const AttentionPanels& panels);

/// Scores, weights and context of a head from left to right, the values above
/// the context, so that a row of weights and a column of values meet in their
/// product. Masked scores are hatched; Σ is the sum of a row of weights. Of the
/// features the first eight stand. Above 16 keys colours replace the numbers of
/// scores and weights.
/// Throws: ShapeError unless the parts fit each other.
Drawing DrawPanels(const Explanation& explanation,
                   const AttentionPanels& panels);

}  // namespace heed

#endif  // HEED_RENDER_PANELS_SVG_H_
