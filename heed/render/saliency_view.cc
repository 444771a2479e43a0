#include "heed/render/saliency_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "heed/render/axis_kind.h"
#include "heed/render/heatmap_svg.h"
#include "heed/render/shadings.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr size_t kMaxAsInput = 4;  // targets drawn on the input
constexpr double kInputWidth = 540;
constexpr double kSmallInputWidth = 148;  // if there are many targets
constexpr double kSmallInputGap = 18;

/// Label of a target: "a", or "a, not b" for a contrastive one.
std::string QuestionOf(const ExplanationSegment& segment,
                       const Target& target) {
  const std::string label = segment.LabelOf(target);
  return target.contrast
             ? fmt::format("{}, not {}", label, target.contrast->label)
             : label;
}

/// Heading of a target; for a text input it begins with an arrow, as in
/// TitleOf.
std::string HeadingOf(const ExplanationSegment& segment, const Target& target) {
  const std::string question = QuestionOf(segment, target);
  return ReadsText(segment) ? "→ " + question : question;
}

std::span<const float> RowAt(const Shading& shading, size_t n, int64_t width) {
  const auto columns = static_cast<size_t>(width);
  return std::span(shading.values).subspan(n * columns, columns);
}

/// Name of the method, with the input if there are several.
std::string ShadingName(const ExplanationSegment& segment,
                        const Shading& shading) {
  const std::string& label = segment.axis(shading.axis).label;
  return shading.axis == "source" || label.empty()
             ? shading.title
             : fmt::format("{} ({})", shading.title, label);
}

/// Captions are below, so that drawings side by side are aligned at the top.
Drawing OnInput(const ExplanationSegment& segment, const Shading& shading) {
  const Axis& axis = segment.axis(shading.axis);
  const bool many = shading.targets.size() > kMaxAsInput;
  std::vector<Drawing> inputs;
  for (size_t n = 0; n < shading.targets.size(); ++n) {
    const Target& target = segment.targets.at(shading.targets[n]);
    const std::vector<Drawing> parts = {
        DrawHeading(HeadingOf(segment, target), 3),
        KindOf(axis).shade(segment, axis, RowAt(shading, n, axis.size()),
                           many ? kSmallInputWidth : kInputWidth)};
    inputs.push_back(StackDrawings(parts, 6));
  }
  std::vector<Drawing> parts = {
      DrawHeading(ShadingName(segment, shading), 2),
      many ? FlowDrawings(inputs, kPictureWidth, kSmallInputGap)
           : StackDrawings(inputs, 6)};
  if (!shading.caption.empty()) {
    parts.push_back(DrawHeading(shading.caption, 3));
  }
  return StackDrawings(parts, 6);
}

/// True if a shading is drawn on its input instead of as a heatmap.
bool StandsOnInput(const ExplanationSegment& segment, const Shading& shading) {
  return shading.targets.size() <= kMaxAsInput ||
         KindOf(segment.axis(shading.axis)).shaded_for_each;
}

/// Largest attention weight on the inputs.
float LargestAttention(const ExplanationSegment& segment, const ViewOptions&) {
  float largest = 0;
  for (const Target& target : segment.targets) {
    if (!target.map) continue;
    for (const float w : RowOf(segment, target)) {
      if (std::isfinite(w)) largest = std::max(largest, w);
    }
  }
  return largest;
}

Drawing AsHeatmap(const ExplanationSegment& segment, const Shading& shading) {
  AlignmentView view;
  view.source_tokens = segment.axis(shading.axis).shown();
  for (const size_t i : shading.targets) {
    view.target_tokens.push_back(QuestionOf(segment, segment.targets.at(i)));
  }
  view.weights = shading.values;
  view.title = ShadingName(segment, shading);
  return DrawHeatmap(view, {.with_sign = true, .caption = shading.caption});
}

std::string SaliencyText(const ExplanationSegment& segment, double full,
                         const TerminalOptions& terminal) {
  const std::vector<Shading> shadings = ShadingsOf(segment, full);
  std::string out;
  for (size_t i = 0; i < segment.targets.size(); ++i) {
    std::string of_target;
    for (const Shading& shading : shadings) {
      for (size_t n = 0; n < shading.targets.size(); ++n) {
        if (shading.targets[n] != i) continue;
        const Axis& axis = segment.axis(shading.axis);
        of_target += fmt::format(
            "  {}\n", terminal::Quiet(terminal, ShadingName(segment, shading)));
        of_target += KindOf(axis).shade_text(
            segment, axis, RowAt(shading, n, axis.size()), 4, terminal);
      }
    }
    if (of_target.empty()) continue;
    const std::string heading = HeadingOf(segment, segment.targets[i]);
    out += terminal::Strong(terminal, VisibleToken(heading)) + '\n' + of_target;
  }
  for (const Shading& shading : shadings) {
    if (shading.caption.empty()) continue;
    out += terminal::Quiet(terminal, fmt::format("{}: {}", shading.title,
                                                 shading.caption)) +
           '\n';
  }
  return out;
}

}  // namespace

Drawing DrawSaliency(const ExplanationSegment& segment, double full) {
  std::vector<Drawing> drawings;
  double widest = 0;
  for (const Shading& shading : ShadingsOf(segment, full)) {
    const bool on_input = StandsOnInput(segment, shading);
    drawings.push_back(on_input ? OnInput(segment, shading)
                                : AsHeatmap(segment, shading));
    widest = std::max(widest, drawings.back().width);
  }
  // Aligned in columns if several fit in a row.
  if (2 * widest + kPictureGap <= kPictureWidth) {
    for (Drawing& drawing : drawings) drawing.width = widest;
  }
  Drawing flow = FlowDrawings(drawings, kPictureWidth, kPictureGap);
  const std::string title = TitleOf(segment);
  if (title.empty()) return flow;
  const std::vector<Drawing> parts = {DrawHeading(title, 1), flow};
  return StackDrawings(parts, 14);
}

ExplanationView SaliencyView() {
  ExplanationView view;
  view.name = "saliency";
  view.description = "what --methods found, beside attention";
  view.refusal = [](const ExplanationSegment& segment, const ViewOptions&) {
    return segment.attributions.empty()
               ? std::string("choose a method of attribution (--methods)")
               : std::string();
  };
  view.draw = [](const ExplanationSegment& segment,
                 const ViewOptions& options) -> std::vector<Drawing> {
    return {DrawSaliency(segment, options.full)};
  };
  view.text = [](const ExplanationSegment& segment, const ViewOptions& options,
                 const TerminalOptions& terminal) {
    return SaliencyText(segment, options.full, terminal);
  };
  view.of_methods = true;
  view.on_page = true;
  view.on_page_of = [](const ExplanationSegment& segment) {
    return std::ranges::all_of(
        segment.attributions, [&](const Attribution& attribution) {
          return KindOf(segment.axis(attribution.axis)).shaded_for_each;
        });
  };
  view.largest = LargestAttention;
  view.legend = PictureLegend::kSigned;
  return view;
}

}  // namespace heed
