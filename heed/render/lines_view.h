// View of attention as lines between two columns of tokens.
#ifndef HEED_RENDER_LINES_VIEW_H_
#define HEED_RENDER_LINES_VIEW_H_

#include <string>

#include "heed/explain/alignment.h"
#include "heed/render/view.h"

namespace heed {

struct LinesOptions {
  double full = 1;         ///< see ViewOptions
  bool bare = false;       ///< see ViewOptions
  std::string query = {};  ///< axis of the targets for ItemAttributes; optional
  std::string key = {};    ///< axis of the keys; optional
};

/// The target on the left, its keys on the right, and lines between them with
/// the weights as width and opacity. Weights below 0.03 have no line.
/// Throws: ShapeError unless there is one weight per pair of tokens.
/// Paper: Vig 2019, arXiv:1906.05714, figure 1.
Drawing DrawLines(const AlignmentView& view, const LinesOptions& options = {});

ExplanationView LinesView();

}  // namespace heed

#endif  // HEED_RENDER_LINES_VIEW_H_
