// Alignments as heatmaps in SVG.
#ifndef HEED_RENDER_HEATMAP_SVG_H_
#define HEED_RENDER_HEATMAP_SVG_H_

#include <span>
#include <string>

#include "heed/explain/alignment.h"
#include "heed/render/drawing.h"

namespace heed {

struct AlignmentSvgOptions {
  /// Outline the ReorderedBlocks: the phrases that changed their place.
  bool outline_off_diagonal = false;
};

/// The heatmaps of `views` side by side and in rows: source on top, target on
/// the left, a cell as dark (in dark mode: as bright) as its weight, values as
/// tooltips, a legend. The links of a view, if it has them, are outlined, and
/// nothing else is. Follows the reader's light or dark setting.
/// Throws: ShapeError unless there is one weight per pair of tokens.
/// Paper: Bahdanau et al. 2014, arXiv 1409.0473, figure 3.
std::string AlignmentSvg(std::span<const AlignmentView> views,
                         const AlignmentSvgOptions& options = {});

struct HeatmapOptions {
  bool outline_off_diagonal = false;
  /// The weights are values from −1 to 1: two hues.
  bool with_sign = false;
  /// A line of its own below the title.
  std::string caption = {};
  double full = 1;  ///< as ViewOptions::full
};

/// One of these heatmaps. Matrices of more than 2000 cells are drawn in twenty
/// shades, with a tooltip per row, which keeps the file small.
/// Throws: ShapeError unless there is one weight per pair of tokens.
Drawing DrawHeatmap(const AlignmentView& view,
                    const HeatmapOptions& options = {});

}  // namespace heed

#endif  // HEED_RENDER_HEATMAP_SVG_H_
