// Alignments as heatmaps in SVG.
#ifndef HEED_RENDER_HEATMAP_SVG_H_
#define HEED_RENDER_HEATMAP_SVG_H_

#include <span>
#include <string>

#include "heed/explain/alignment.h"
#include "heed/render/drawing.h"

namespace heed {

struct AlignmentSvgOptions {
  /// Outline the reordered phrases (see ReorderedBlocks).
  bool outline_off_diagonal = false;
};

/// Heatmaps of `views` side by side and in rows: source on top, target on the
/// left, darker cells (dark mode: brighter) for larger weights, values as
/// tooltips, a legend. If a view has links, only these are outlined. Follows
/// the reader's light or dark setting.
/// Throws: ShapeError unless there is one weight per pair of tokens.
/// Paper: Bahdanau et al. 2014, arXiv 1409.0473, figure 3.
std::string AlignmentSvg(std::span<const AlignmentView> views,
                         const AlignmentSvgOptions& options = {});

struct HeatmapOptions {
  bool outline_off_diagonal = false;
  /// The weights are values from −1 to 1, drawn in two hues.
  bool with_sign = false;
  /// Line below the title.
  std::string caption = {};
  double full = 1;  ///< see ViewOptions::full
  double cell = 0;  ///< side of a cell; 0: by the number of tokens
};

/// A single heatmap. Matrices of more than 2000 cells are drawn in twenty
/// shades, with a tooltip per row, to keep the file small.
/// Throws: ShapeError unless there is one weight per pair of tokens.
Drawing DrawHeatmap(const AlignmentView& view,
                    const HeatmapOptions& options = {});

}  // namespace heed

#endif  // HEED_RENDER_HEATMAP_SVG_H_
