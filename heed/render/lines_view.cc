#include "heed/render/lines_view.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "heed/base/text.h"
#include "heed/render/cells.h"
#include "heed/render/markup.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kLineFont = 14;
constexpr double kRowHeight = 24;
constexpr double kSpan = 150;  // between the columns
constexpr double kWidestLine = 7;
constexpr float kLeastLine = 0.03f;
constexpr int kLineColumns = 24;

std::string LineLabel(const std::string& token) {
  return Ellipsize(VisibleToken(token), kLineColumns);
}

double WidestLineLabel(std::span<const std::string> tokens) {
  double widest = 0;
  for (const std::string& token : tokens) {
    widest = std::max(widest, TextWidth(LineLabel(token), kLineFont));
  }
  return widest;
}

double MiddleOf(int64_t row) {
  return kRowHeight * (static_cast<double>(row) + 0.5);
}

void AddColumn(std::span<const std::string> tokens, double x,
               std::string_view anchor, MarkupWriter* svg) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    svg->Line(
        "<text class='token' x='{:.1f}' y='{:.1f}' text-anchor='{}'>{}</text>",
        x, MiddleOf(static_cast<int64_t>(i)) + kLineFont * 0.35, anchor,
        MarkupToken(tokens[i], kLineColumns));
  }
}

// --- in a terminal ---

constexpr int kWidestName = 28;

std::string LinesText(const AlignmentView& view) {
  int widest = 1;
  for (const std::string& token : view.target_tokens) {
    widest = std::max(widest, DisplayWidth(VisibleToken(token)));
  }
  widest = std::min(widest, kWidestName);
  std::string out;
  for (int64_t t = 0; t < view.target_size(); ++t) {
    const std::string& token = view.target_tokens[static_cast<size_t>(t)];
    out += fmt::format("{} ← {}\n",
                       Pad(VisibleToken(token), widest, Align::kRight),
                       StrongestOf(RowAt(view, t), view.source_tokens, 4));
  }
  return out;
}

}  // namespace

Drawing DrawLines(const AlignmentView& view, double full) {
  CheckAlignment(view);
  const double left = WidestLineLabel(view.target_tokens) + 8;
  const double right = left + kSpan;
  MarkupWriter svg;
  svg.Line("<g font-size='{}'>", kLineFont);
  AddColumn(view.target_tokens, left - 8, "end", &svg);
  AddColumn(view.source_tokens, right + 8, "start", &svg);
  for (int64_t t = 0; t < view.target_size(); ++t) {
    const float factor = ShadeFactor(RowAt(view, t), full);
    for (int64_t s = 0; s < view.source_size(); ++s) {
      const float weight = view.weight(t, s);
      const float shade = std::min(weight * factor, 1.0f);
      if (shade < kLeastLine) continue;
      svg.Line(
          "<path class='link' stroke-width='{:.2f}' stroke-opacity='{:.2f}' "
          "d='M{:.1f} {}C{:.1f} {} {:.1f} {} {:.1f} {}'><title>{} ← {}: "
          "{:.2f}</title></path>",
          0.6 + kWidestLine * shade, 0.08 + 0.92 * shade, left, MiddleOf(t),
          left + kSpan * 0.4, MiddleOf(t), right - kSpan * 0.4, MiddleOf(s),
          right, MiddleOf(s),
          EscapeMarkup(LineLabel(view.target_tokens[static_cast<size_t>(t)])),
          EscapeMarkup(LineLabel(view.source_tokens[static_cast<size_t>(s)])),
          weight);
    }
  }
  svg.Line("</g>");
  Drawing lines = {right + 8 + WidestLineLabel(view.source_tokens),
                   kRowHeight * static_cast<double>(std::max(
                                    view.target_size(), view.source_size())),
                   svg.Take()};
  if (view.title.empty()) return lines;
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
    return {DrawLines(ShownAttention(segment, options), options.full)};
  };
  view.text = [](const ExplanationSegment& segment, const ViewOptions& options,
                 const TerminalOptions& /*terminal*/) {
    return LinesText(ShownAttention(segment, options));
  };
  view.largest = LargestShown;
  return view;
}

}  // namespace heed
