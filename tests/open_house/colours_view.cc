// A custom view: total attention on each colour of a strip.
#include <fmt/format.h>

#include <map>

#include "heed/render/markup.h"
#include "tests/open_house/strip.h"

namespace heed::strips {
namespace {

constexpr double kRow = 22;
constexpr double kBar = 300;
constexpr double kName = 80;

bool HasStrip(const ExplanationSegment& segment) {
  const Axis* source = segment.Find("source");
  return source != nullptr && source->kind == kKind;
}

/// Returns the attention weights of all targets, summed by colour.
std::map<std::string, float> WeightsOfColours(
    const ExplanationSegment& segment) {
  const auto& colours = PayloadOf<StripPayload>(segment.axis("source")).colours;
  std::map<std::string, float> sums;
  for (const Target& target : segment.targets) {
    const std::vector<float> row = RowOf(segment, target);
    for (size_t i = 0; i < row.size(); ++i) {
      sums[colours[i]] += row[i];
    }
  }
  return sums;
}

std::vector<Drawing> DrawColours(const ExplanationSegment& segment,
                                 const ViewOptions&) {
  MarkupWriter svg;
  double y = 0;
  for (const auto& [colour, weight] : WeightsOfColours(segment)) {
    svg.Line("<text y='{}' font-size='13'>{} {:.2f}</text>", y + 0.7 * kRow,
             colour, weight);
    svg.Line("<rect class='cell' x='{}' y='{}' width='{:.1f}' height='{}'/>",
             kName + 30, y, kBar * weight, kRow - 4);
    y += kRow;
  }
  return {DrawHeading(TitleOf(segment), 2), {kName + 30 + kBar, y, svg.Take()}};
}

std::string ColoursText(const ExplanationSegment& segment, const ViewOptions&,
                        const TerminalOptions&) {
  std::string text = TitleOf(segment) + "\n";
  for (const auto& [colour, weight] : WeightsOfColours(segment)) {
    text += fmt::format("  {:<8} {:.2f}\n", colour, weight);
  }
  return text;
}

}  // namespace

ExplanationView ColoursView() {
  ExplanationView view;
  view.name = "colours";
  view.description = "how much attention each colour of a strip has";
  view.refusal = [](const ExplanationSegment& segment,
                    const ViewOptions& options) -> std::string {
    if (!HasStrip(segment)) return "only strips have colours";
    return AttentionRefusal(segment, options);
  };
  view.draw = DrawColours;
  view.text = ColoursText;
  view.legend = PictureLegend::kNone;
  view.on_page = true;
  return view;
}

}  // namespace heed::strips
