#include "heed/render/lines_view.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/text.h"
#include "heed/render/cells.h"
#include "heed/render/markup.h"
#include "heed/render/text_layout.h"
#include "heed/render/token_names.h"

namespace heed {
namespace {

constexpr NameStyle kLineNames = {.font = 14, .columns = 24};
constexpr double kRowHeight = 24;
constexpr double kSpan = 150;  // between the columns
constexpr double kWidestLine = 7;
constexpr float kMinLine = 0.03f;

double MiddleOf(int64_t row) {
  return kRowHeight * (static_cast<double>(row) + 0.5);
}

// --- terminal ---

constexpr int kWidestName = 28;

std::string LinesText(const AlignmentView& view) {
  int widest = 1;
  for (const std::string& token : view.target_tokens) {
    widest = std::max(widest, DisplayWidth(VisibleToken(token)));
  }
  widest = std::min(widest, kWidestName);
  std::string out;
  for (int64_t t = 0; t < view.target_size(); ++t) {
    const std::string& token = At(view.target_tokens, t);
    out += fmt::format("{} ← {}\n",
                       Pad(VisibleToken(token), widest, Align::kRight),
                       FormatStrongest(RowAt(view, t), view.source_tokens, 4));
  }
  return out;
}

}  // namespace

Drawing DrawLines(const AlignmentView& view, const LinesOptions& options) {
  CheckAlignment(view);
  NameStyle queries = kLineNames;
  queries.axis = options.query;
  NameStyle keys = kLineNames;
  keys.axis = options.key;
  const double left = WidestToken(view.target_tokens, kLineNames) + 8;
  const double right = left + kSpan;
  MarkupWriter svg;
  AddRowNames(view.target_tokens, left - 8, kRowHeight, queries, &svg);
  AddRowNames(view.source_tokens, right + 8, kRowHeight, keys, &svg, "start");
  svg.Line("<g class='link' data-links='{:.1f} {:.1f} {}'>", left, right,
           kRowHeight);
  for (int64_t t = 0; !options.bare && t < view.target_size(); ++t) {
    const float factor = ShadeFactor(RowAt(view, t), options.full);
    for (int64_t s = 0; s < view.source_size(); ++s) {
      const float weight = view.weight(t, s);
      const float shade = std::min(weight * factor, 1.0f);
      if (shade < kMinLine) continue;
      svg.Line(
          "<path stroke-width='{:.2f}' stroke-opacity='{:.2f}' "
          "d='M{:.1f} {}C{:.1f} {} {:.1f} {} {:.1f} {}'><title>{} ← {}: "
          "{:.2f}</title></path>",
          0.6 + kWidestLine * shade, 0.08 + 0.92 * shade, left, MiddleOf(t),
          left + kSpan * 0.4, MiddleOf(t), right - kSpan * 0.4, MiddleOf(s),
          right, MiddleOf(s),
          EscapeMarkup(ShortToken(At(view.target_tokens, t), kLineNames)),
          EscapeMarkup(ShortToken(At(view.source_tokens, s), kLineNames)),
          weight);
    }
  }
  svg.Line("</g>");
  Drawing lines = {right + 8 + WidestToken(view.source_tokens, kLineNames),
                   kRowHeight * static_cast<double>(std::max(
                                    view.target_size(), view.source_size())),
                   svg.Take()};
  if (view.title.empty() || options.bare) return lines;
  const std::vector<Drawing> parts = {DrawHeading(Ellipsize(view.title, 60), 2),
                                      lines};
  return StackDrawings(parts, 12);
}

ExplanationView LinesView() {
  ExplanationView view;
  view.name = "lines";
  view.description = "lines from the answer to what was read";
  view.refusal = AttentionRefusal;
  view.draw = [](const ExplanationSegment& segment,
                 const ViewOptions& options) -> std::vector<Drawing> {
    LinesOptions lines = {.full = options.full, .bare = options.bare};
    if (!options.map.empty()) {
      const AttentionMap& map = segment.maps[MapNamed(segment, options.map)];
      lines.query = map.query;
      lines.key = map.key;
    }
    return {DrawLines(ShownAttention(segment, options), lines)};
  };
  view.text = [](const ExplanationSegment& segment, const ViewOptions& options,
                 const TerminalOptions& /*terminal*/) {
    return LinesText(ShownAttention(segment, options));
  };
  view.largest = LargestShown;
  view.on_page = true;
  view.recoloured = true;
  return view;
}

}  // namespace heed
