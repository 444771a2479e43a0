#include "heed/render/frames_view.h"

#include <algorithm>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/render/axis_kind.h"
#include "heed/render/markup.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/text_layout.h"
#include "heed/render/words_svg.h"

namespace heed {
namespace {

constexpr double kFrameWidth = 270;
constexpr double kFramePadding = 14;
constexpr double kFrameFont = 14;
constexpr double kMinNumber = 0.1;
constexpr size_t kLongSource = 40;
constexpr size_t kStrongest = 24;
constexpr int kFrameTokenColumns = 24;

// Previous tokens, "… zwei männer ", truncated to `room`.
std::string WrittenBefore(const AlignmentView& view, size_t step, double room) {
  std::string written;
  for (size_t i = step; i-- > 0;) {
    const std::string longer =
        VisibleToken(view.target_tokens[i]) + " " + written;
    if (TextWidth("… " + longer, kFrameFont) > room) return "… " + written;
    written = longer;
  }
  return written;
}

// Words of a frame, without its border.
Drawing DrawStep(const AlignmentView& view, size_t step, double full) {
  const double inner = kFrameWidth - 2 * kFramePadding;
  const size_t sources = view.source_tokens.size();
  std::vector<float> row;
  for (size_t s = 0; s < sources; ++s) {
    row.push_back(
        view.weight(static_cast<int64_t>(step), static_cast<int64_t>(s)));
  }
  const float factor = ShadeFactor(row, full);
  const std::string token =
      Ellipsize(VisibleToken(view.target_tokens[step]), kFrameTokenColumns);
  const double room = inner - TextWidth(token, kFrameFont);
  MarkupWriter written;
  written.Line("<text y='{0}' font-size='{0}' xml:space='preserve'>",
               kFrameFont);
  written.Line("<tspan class='quiet'>{}</tspan>",
               EscapeMarkup(WrittenBefore(view, step, room)));
  written.Line("<tspan class='now'>{}</tspan></text>", EscapeMarkup(token));
  std::string line = written.Take();
  std::erase(line, '\n');  // white space is preserved
  const std::vector<Drawing> parts = {
      DrawHeading(fmt::format("{} / {}", step + 1, view.target_tokens.size()),
                  3),
      {inner, kFrameFont + 4, line + "\n"},
      DrawShadedWords(view.source_tokens, row, inner, kMinNumber,
                      sources > kLongSource ? kStrongest : sources, factor)};
  return StackDrawings(parts, 8);
}

Drawing Framed(const Drawing& content, double height) {
  MarkupWriter svg;
  svg.Line(
      "<rect class='rule' x='0.5' y='0.5' width='{}' height='{:.1f}' rx='8'/>",
      kFrameWidth - 1, height - 1);
  svg.Line("<g class='frame' transform='translate({0} {0})'>\n{1}</g>",
           kFramePadding, content.svg);
  return {kFrameWidth, height, svg.Take()};
}

// --- terminal ---

std::string FramesText(const AlignmentView& view,
                       const TerminalOptions& terminal) {
  std::string out;
  std::string written;
  for (int64_t t = 0; t < view.target_size(); ++t) {
    const std::string token = VisibleToken(At(view.target_tokens, t));
    out += terminal::Quiet(terminal, fmt::format("{} / {}  {}", t + 1,
                                                 view.target_size(), written)) +
           terminal::Strong(terminal, token) + '\n';
    out += TerminalWords(view.source_tokens, RowAt(view, t), 2, terminal);
    written += token + ' ';
  }
  return out;
}

}  // namespace

Drawing DrawFrames(const AlignmentView& view, double full) {
  CheckAlignment(view);
  std::vector<Drawing> steps;
  double height = 0;
  for (size_t step = 0; step < view.target_tokens.size(); ++step) {
    steps.push_back(DrawStep(view, step, full));
    height = std::max(height, steps.back().height + 2 * kFramePadding - 6);
  }
  std::vector<Drawing> frames;
  for (const Drawing& step : steps) frames.push_back(Framed(step, height));
  Drawing sheet = FlowDrawings(frames, kPictureWidth, 14);
  if (view.title.empty()) return sheet;
  const std::vector<Drawing> parts = {DrawHeading(view.title, 2), sheet};
  return StackDrawings(parts, 14);
}

ExplanationView FramesView() {
  ExplanationView view;
  view.name = "frames";
  view.description = "a frame for each part of the answer, one after the other";
  view.refusal = [](const ExplanationSegment& segment,
                    const ViewOptions& options) {
    std::string refusal = AttentionRefusal(segment, options);
    if (!refusal.empty()) return refusal;
    const size_t map = options.map.empty() ? *segment.AlignmentMap()
                                           : MapNamed(segment, options.map);
    return KindOf(segment.axis(segment.maps[map].key)).shaded_for_each
               ? std::string(
                     "the attended input has no words; --view input draws a "
                     "picture for each part of the answer")
               : std::string();
  };
  view.draw = [](const ExplanationSegment& segment,
                 const ViewOptions& options) -> std::vector<Drawing> {
    return {DrawFrames(ShownAttention(segment, options), options.full)};
  };
  view.text = [](const ExplanationSegment& segment, const ViewOptions& options,
                 const TerminalOptions& terminal) {
    return FramesText(ShownAttention(segment, options), terminal);
  };
  view.largest = LargestShown;
  return view;
}

}  // namespace heed
