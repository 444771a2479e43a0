// Alignments as heatmaps in SVG.
#ifndef HEED_EXPLAIN_HEATMAP_SVG_H_
#define HEED_EXPLAIN_HEATMAP_SVG_H_

#include <span>
#include <string>

#include "heed/explain/alignment.h"

namespace heed {

struct AlignmentSvgOptions {
  /// Outline the largest weight of a target token where it lies more than one
  /// cell off the diagonal: the words that changed their place.
  bool outline_off_diagonal = false;
  /// Leave out the style and the legend, for a page that has
  /// AlignmentSvgStyle().
  bool embedded = false;
};

/// The heatmaps of `views` side by side and in rows: source on top, target on
/// the left, a cell as dark (in dark mode: as bright) as its weight, values as
/// tooltips, a legend. Follows the reader's light or dark setting.
/// Throws: ShapeError unless there is one weight per pair of tokens.
/// Paper: Bahdanau et al. 2014, arXiv 1409.0473, figure 3.
std::string AlignmentSvg(std::span<const AlignmentView> views,
                         const AlignmentSvgOptions& options = {});

/// The style sheet of AlignmentSvg.
std::string AlignmentSvgStyle();

}  // namespace heed

#endif  // HEED_EXPLAIN_HEATMAP_SVG_H_
