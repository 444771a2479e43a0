#include "heed/render/input_view.h"

#include "heed/render/axis_kind.h"

namespace heed {
namespace {

/// First kind with a picture among a segment's axes, or null.
const AxisKind* PicturedKind(const ExplanationSegment& segment) {
  for (const Axis& axis : segment.axes) {
    const AxisKind& kind = KindOf(axis);
    if (kind.picture) return &kind;
  }
  return nullptr;
}

}  // namespace

ExplanationView InputView() {
  ExplanationView view;
  view.name = "input";
  view.description =
      "a series or an image itself, and what was attended to of it";
  view.refusal = [](const ExplanationSegment& segment, const ViewOptions&) {
    return PicturedKind(segment) == nullptr
               ? std::string(
                     "a text has no picture of its own; choose another "
                     "view")
               : std::string();
  };
  view.draw = [](const ExplanationSegment& segment,
                 const ViewOptions& options) -> std::vector<Drawing> {
    return {PicturedKind(segment)->picture(segment, options)};
  };
  view.text = [](const ExplanationSegment& segment, const ViewOptions& options,
                 const TerminalOptions& terminal) {
    return PicturedKind(segment)->picture_text(segment, options, terminal);
  };
  view.on_page = true;
  view.on_page_of = [](const ExplanationSegment& segment) {
    return PicturedKind(segment)->on_page;
  };
  view.legend_of = [](const ExplanationSegment& segment) {
    return PicturedKind(segment)->legend;
  };
  return view;
}

}  // namespace heed
