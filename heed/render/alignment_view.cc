#include "heed/render/alignment_view.h"

#include <cmath>

#include "heed/explain/head_statistics.h"
#include "heed/render/heatmap_svg.h"
#include "heed/render/heatmap_terminal.h"

namespace heed {
namespace {

/// True if the attention is between two axes, so that phrases may be reordered.
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

/// UniformNote of a view's mean entropy.
std::string NoteOf(const AlignmentView& view) {
  if (view.target_size() == 0) return "";
  double entropy = 0;
  for (const float w : view.weights) {
    if (w > 0) entropy -= w * std::log2(w);
  }
  return UniformNote(entropy / static_cast<double>(view.target_size()),
                     view.source_size());
}

}  // namespace

ExplanationView AlignmentMapView() {
  ExplanationView view;
  view.name = "alignment";
  view.description = "a heatmap: each part of the answer by what was read";
  view.refusal = AttentionRefusal;
  view.draw = [](const ExplanationSegment& segment,
                 const ViewOptions& options) -> std::vector<Drawing> {
    const AlignmentView shown = TitledAttention(segment, options);
    return {DrawHeatmap(shown,
                        {.outline_off_diagonal = MarksBlocks(segment, options),
                         .caption = NoteOf(shown),
                         .full = options.full})};
  };
  view.text = [](const ExplanationSegment& segment, const ViewOptions& options,
                 const TerminalOptions& terminal) {
    const AlignmentView shown = TitledAttention(segment, options);
    const std::string note = NoteOf(shown);
    return TerminalHeatmap(shown, terminal) +
           (note.empty() ? "" : terminal::Quiet(terminal, note) + '\n');
  };
  view.largest = LargestShown;
  return view;
}

}  // namespace heed
