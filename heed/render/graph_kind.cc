// Nodes of a graph in a plane, shaded by their values.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "heed/base/at.h"
#include "heed/render/axis_kind.h"
#include "heed/render/graph_view.h"
#include "heed/render/markup.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kShadesWidth = 360;
constexpr double kShadesMargin = 8;
constexpr double kNameFont = 10;

/// Items with names: the first, and those with the largest values.
std::vector<size_t> NamedNodes(std::span<const float> values) {
  constexpr size_t kMaxNamed = 14;
  constexpr float kVisible = 0.05F;
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto magnitude = [&](size_t i) {
    return std::isfinite(values[i]) ? std::abs(values[i]) : 0;
  };
  std::ranges::stable_sort(order.begin() + (order.empty() ? 0 : 1), order.end(),
                           std::greater(), magnitude);
  std::vector<size_t> named;
  for (const size_t i : order) {
    if (named.size() == kMaxNamed) break;
    if (i == 0 || magnitude(i) >= kVisible) named.push_back(i);
  }
  return named;
}

/// Draws the items at their positions in the plane; the first has a ring.
Drawing ShadeNodes(const ExplanationSegment& /*segment*/, const Axis& axis,
                   std::span<const float> values, double width) {
  const GraphPayload& graph = GraphOf(axis);
  const double side = std::min(width, kShadesWidth);
  std::array<double, 2> low = {1, 1};
  std::array<double, 2> high = {0, 0};
  const auto place = [&](size_t i) { return At(graph.places, graph.nodes[i]); };
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (size_t a = 0; a < 2; ++a) {
      low[a] = std::min(low[a], place(i)[a]);
      high[a] = std::max(high[a], place(i)[a]);
    }
  }
  const auto scaled = [&](size_t i, size_t a, double room) {
    const double extent = high[a] - low[a];
    const double share = extent > 0 ? (place(i)[a] - low[a]) / extent : 0.5;
    return kShadesMargin + share * (room - 2 * kShadesMargin);
  };
  const double height = side * 0.7;
  MarkupWriter svg;
  svg.Line("<rect class='field' width='{:.1f}' height='{:.1f}' rx='4'/>", side,
           height);
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const float value = std::clamp(values[i], -1.0f, 1.0f);
    const double x = scaled(i, 0, side);
    const double y = scaled(i, 1, height);
    svg.Line(
        "<circle class='rule' cx='{0:.1f}' cy='{1:.1f}' r='4'/>"
        "<circle class='{2}' cx='{0:.1f}' cy='{1:.1f}' r='4' "
        "fill-opacity='{3:.2f}'><title>{4}: {5:.2f}</title></circle>",
        x, y, value < 0 ? "minus" : "cell",
        std::isfinite(value) ? std::abs(value) : 0,
        EscapeMarkup(axis.shown()[i]), values[i]);
    if (i == 0) {
      svg.Line("<circle class='linked' cx='{:.1f}' cy='{:.1f}' r='7'/>", x, y);
    }
  }
  // Names that would overlap are omitted, smallest values first.
  std::vector<std::array<double, 4>> taken;  // left, right, top, bottom
  for (const size_t i : NamedNodes(values)) {
    const std::string name = Ellipsize(VisibleToken(axis.shown()[i]), 10);
    const double wide = TextWidth(name, kNameFont);
    const double y = scaled(i, 1, height);
    double x = scaled(i, 0, side) + 9;
    if (x + wide > side) x -= 18 + wide;
    const std::array<double, 4> box = {x, x + wide, y - kNameFont / 2,
                                       y + kNameFont / 2};
    if (std::ranges::any_of(taken, [&](const std::array<double, 4>& other) {
          return box[0] < other[1] && other[0] < box[1] && box[2] < other[3] &&
                 other[2] < box[3];
        })) {
      continue;
    }
    taken.push_back(box);
    svg.Line(
        "<text class='token' x='{:.1f}' y='{:.1f}' font-size='{}'>{}</text>", x,
        y + 3.5, kNameFont, EscapeMarkup(name));
  }
  return {side, height, svg.Take()};
}

std::string ShadeNodeNames(const ExplanationSegment& /*segment*/,
                           const Axis& axis, std::span<const float> values,
                           int indent, const TerminalOptions& terminal) {
  return TerminalWords(axis.shown(), values, indent, terminal);
}

}  // namespace

AxisKind GraphKind() {
  AxisKind kind = {"graph", ShadeNodes, ShadeNodeNames};
  kind.named_by_text = true;
  return kind;
}

}  // namespace heed
