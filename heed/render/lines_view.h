// Attention as lines between two columns of tokens, in SVG and a terminal.
#ifndef HEED_RENDER_LINES_VIEW_H_
#define HEED_RENDER_LINES_VIEW_H_

#include <string>

#include "heed/explain/alignment.h"
#include "heed/render/view.h"

namespace heed {

struct LinesOptions {
  double full = 1;         ///< as ViewOptions
  bool bare = false;       ///< as ViewOptions
  std::string query = {};  ///< axis of the targets, for ItemAttributes; or none
  std::string key = {};    ///< axis of what they looked at; or none
};

/// The target on the left, what it looked at on the right, and between them
/// lines whose width and opacity are the weights; below 0.03 there are none.
/// Throws: ShapeError unless there is one weight per pair of tokens.
/// Paper: Vig 2019, arXiv:1906.05714, figure 1.
Drawing DrawLines(const AlignmentView& view, const LinesOptions& options = {});

ExplanationView LinesView();

}  // namespace heed

#endif  // HEED_RENDER_LINES_VIEW_H_
