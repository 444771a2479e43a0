#include "heed/render/alignment_view.h"

#include "heed/render/heatmap_svg.h"
#include "heed/render/heatmap_terminal.h"

namespace heed {
namespace {

/// Whether what is shown is between two axes, along which words can move.
bool MarksBlocks(const ExplanationSegment& segment,
                 const ViewOptions& options) {
  const std::optional<size_t> map = segment.AlignmentMap();
  return options.map.empty() && map && !segment.maps[*map].within_axis();
}

AlignmentView TitledAttention(const ExplanationSegment& segment,
                              const ViewOptions& options) {
  AlignmentView view = ShownAttention(segment, options);
  if (options.map.empty()) view.title = TitleOf(segment);
  return view;
}

}  // namespace

ExplanationView AlignmentMapView() {
  ExplanationView view;
  view.name = "alignment";
  view.description = "a heatmap: each part of the answer by what was read";
  view.refusal = AttentionRefusal;
  view.draw = [](const ExplanationSegment& segment,
                 const ViewOptions& options) -> std::vector<Drawing> {
    return {DrawHeatmap(TitledAttention(segment, options),
                        {.outline_off_diagonal = MarksBlocks(segment, options),
                         .full = options.full})};
  };
  view.text = [](const ExplanationSegment& segment, const ViewOptions& options,
                 const TerminalOptions& terminal) {
    return TerminalHeatmap(TitledAttention(segment, options), terminal);
  };
  view.largest = LargestShown;
  return view;
}

}  // namespace heed
