#include "heed/render/graph_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/render/dot_canvas.h"
#include "heed/render/markup.h"
#include "heed/render/series_marks.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kPlaneWidth = 720;
constexpr double kPlaneHeight = 540;
constexpr double kPlaneMargin = 10;
constexpr double kStar = 214;  // size of the star of a head
constexpr size_t kStarNodes = 14;
constexpr double kStarFont = 9.5;
constexpr int kStarColumns = 8;  // per name
constexpr size_t kListedNodes = 20;
constexpr size_t kListedHeads = 12;
constexpr int kEdgeWidths = 6;
constexpr size_t kNamedClasses = 24;
constexpr int kDotRows = 18;

const Axis* GraphAxis(const ExplanationSegment& segment) {
  for (const Axis& axis : segment.axes) {
    if (axis.kind == "graph") return &axis;
  }
  return nullptr;
}

/// Style of class colours and thin edges, once per picture.
std::string ClassStyle() {
  std::string light;
  std::string dark;
  for (size_t i = 0; i < kSeriesColours.size(); ++i) {
    light +=
        fmt::format(".heed .node{}{{fill:{}}}", i, SeriesColourOf(i).light);
    dark += fmt::format(".heed .node{}{{fill:{}}}", i, SeriesColourOf(i).dark);
  }
  return fmt::format(
      "<style>{}.heed .edge{{fill:none;stroke:#8a94a0}}"
      ".heed .ring{{fill:none;stroke:#101418;stroke-width:2}}"
      "@media (prefers-color-scheme:dark){{{}.heed .edge{{stroke:#5d6a7a}}"
      ".heed .ring{{stroke:#f2f5f9}}}}</style>\n",
      light, dark);
}

/// Draws a node. `item`: ItemAttributes, or empty.
void AddNode(double x, double y, double scale, int64_t of_class,
             std::string_view title, std::string_view item, MarkupWriter* svg) {
  const auto c = static_cast<size_t>(of_class);
  svg->Line(
      "<path class='node{}' d='{}' transform='translate({:.1f} {:.1f}) "
      "scale({:.2f})' {}>{}</path>",
      c % kSeriesColours.size(), MarkerPathOf(c), x, y, scale, item,
      title.empty() ? ""
                    : fmt::format("<title>{}</title>", EscapeMarkup(title)));
}

/// Legend of the classes and their marks.
Drawing DrawClasses(const GraphPayload& graph) {
  MarkupWriter svg;
  double x = 0;
  double y = 12;
  const auto add = [&](std::string_view name, size_t c) {
    const double width = TextWidth(name, 12) + 34;
    if (x > 0 && x + width > kPlaneWidth) {
      x = 0;
      y += 20;
    }
    AddNode(x + 6, y - 4, 1, static_cast<int64_t>(c), "", "", &svg);
    svg.Line(
        "<text class='token' x='{:.1f}' y='{:.1f}' font-size='12'>{}</text>",
        x + 17, y, EscapeMarkup(name));
    x += width;
  };
  for (size_t c = 0; c < std::min(kNamedClasses, graph.classes.size()); ++c) {
    add(Ellipsize(VisibleToken(graph.classes[c]), 24), c);
  }
  return {kPlaneWidth, y + 8, svg.Take()};
}

/// All nodes in the plane; edges of similar width share a path.
Drawing DrawPlane(const Axis& axis, const GraphPayload& graph) {
  MarkupWriter svg;
  std::vector<std::string> items(graph.places.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    At(items, graph.nodes[i]) =
        ItemAttributes(axis.id, static_cast<int64_t>(i));
  }
  const auto x_of = [&](size_t i) {
    return kPlaneMargin + graph.places[i][0] * (kPlaneWidth - 2 * kPlaneMargin);
  };
  const auto y_of = [&](size_t i) {
    return kPlaneMargin +
           graph.places[i][1] * (kPlaneHeight - 2 * kPlaneMargin);
  };
  svg.Line("<rect class='field' width='{}' height='{}' rx='4'/>", kPlaneWidth,
           kPlaneHeight);
  std::array<std::string, kEdgeWidths> paths;
  for (const GraphPayload::Edge& edge : graph.edges) {
    const auto bucket = static_cast<size_t>(
        std::clamp(std::ceil(edge.width * kEdgeWidths) - 1, 0.0,
                   static_cast<double>(kEdgeWidths - 1)));
    const auto from = static_cast<size_t>(edge.from);
    const auto to = static_cast<size_t>(edge.to);
    paths[bucket] += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", x_of(from),
                                 y_of(from), x_of(to), y_of(to));
  }
  for (size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].empty()) continue;
    const double share = static_cast<double>(i + 1) / kEdgeWidths;
    svg.Line(
        "<path class='edge' d='{}' stroke-width='{:.2f}' "
        "stroke-opacity='{:.2f}'/>",
        paths[i], 0.25 + 1.75 * share, 0.02 + 0.7 * share * share);
  }
  const double scale = std::clamp(
      12 / std::sqrt(static_cast<double>(graph.places.size())), 0.45, 1.1);
  for (size_t i = 0; i < graph.places.size(); ++i) {
    AddNode(x_of(i), y_of(i), scale, graph.predicted[i], "", items[i], &svg);
  }
  // The queried node.
  const auto target = static_cast<size_t>(graph.nodes.front());
  svg.Line("<circle class='ring' cx='{:.1f}' cy='{:.1f}' r='{:.1f}'/>",
           x_of(target), y_of(target), 5 * scale + 5);
  return {kPlaneWidth, kPlaneHeight, svg.Take()};
}

/// Attention of item 0 in one map: the items, by decreasing mean over the
/// heads, and the weights of each head [heads][items].
struct StarWeights {
  std::vector<int64_t> items;
  std::vector<float> mean;
  std::vector<std::vector<float>> heads;
};

StarWeights StarOf(const AttentionMap& map) {
  StarWeights star;
  std::vector<size_t> edges;
  for (size_t e = 0; e < map.edges.size(); ++e) {
    if (map.edges[e].first == 0) edges.push_back(e);
  }
  const auto weight = [&](int64_t head, size_t e) {
    return map.weights[static_cast<size_t>(head) * map.edges.size() + e];
  };
  const auto mean = [&](size_t e) {
    float sum = 0;
    for (int64_t h = 0; h < map.heads; ++h) sum += weight(h, e);
    return sum / static_cast<float>(map.heads);
  };
  std::ranges::stable_sort(edges, std::greater(), mean);
  star.heads.resize(static_cast<size_t>(map.heads));
  for (const size_t e : edges) {
    star.items.push_back(map.edges[e].second);
    star.mean.push_back(mean(e));
    for (int64_t h = 0; h < map.heads; ++h) {
      At(star.heads, h).push_back(weight(h, e));
    }
  }
  return star;
}

std::vector<const AttentionMap*> StarMaps(const ExplanationSegment& segment,
                                          const Axis& axis) {
  std::vector<const AttentionMap*> maps;
  for (const AttentionMap& map : segment.maps) {
    if (map.query == axis.id && map.key == axis.id && !map.edges.empty()) {
      maps.push_back(&map);
    }
  }
  return maps;
}

int64_t ClassOfItem(const GraphPayload& graph, int64_t item) {
  return graph.predicted[static_cast<size_t>(At(graph.nodes, item))];
}

/// Largest weight of any head, which has the widest ray.
float WidestOf(const StarWeights& star) {
  float widest = 0;
  for (const auto& head : star.heads) {
    for (const float weight : head) widest = std::max(widest, weight);
  }
  return widest;
}

std::string StarName(const Axis& axis, int64_t item) {
  return Ellipsize(VisibleToken(At(axis.shown(), item)), kStarColumns);
}

/// Neighbours around the node by decreasing mean weight, clockwise from the
/// top; the width of a ray is the weight of this head.
Drawing DrawStar(const GraphPayload& graph, const Axis& axis,
                 const StarWeights& star, const std::vector<float>& weights,
                 const std::string& title) {
  MarkupWriter svg;
  const double centre = kStar / 2;
  svg.Line("<text class='quiet' x='0' y='11' font-size='11'>{}</text>",
           EscapeMarkup(title));
  const double middle = centre + 8;
  std::vector<size_t> others;
  double own = 0;
  for (size_t i = 0; i < star.items.size(); ++i) {
    if (star.items[i] == 0) {
      own = weights[i];
    } else if (others.size() < kStarNodes) {
      others.push_back(i);
    }
  }
  // Names are outside of the marks, however wide they are.
  constexpr double kFromMark = 9;
  double name_room = 0;
  for (const size_t i : others) {
    name_room = std::max(name_room,
                         TextWidth(StarName(axis, star.items[i]), kStarFont));
  }
  const double radius = centre - kFromMark - std::max(name_room, kStarFont) - 2;
  const double widest = std::max<double>(WidestOf(star), 1e-6);
  const auto width = [&](double weight) { return 9 * weight / widest; };
  std::string nodes;
  for (size_t k = 0; k < others.size(); ++k) {
    const size_t i = others[k];
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) /
                         static_cast<double>(others.size());
    const double x = centre + radius * std::sin(angle);
    const double y = middle - radius * std::cos(angle);
    svg.Line(
        "<path class='link' d='M{:.1f} {:.1f}L{:.1f} {:.1f}' "
        "stroke-width='{:.2f}' stroke-opacity='0.75'/>",
        centre, middle, x, y, width(weights[i]));
    MarkupWriter node;
    const auto item = static_cast<size_t>(star.items[i]);
    AddNode(x, y, 0.9, ClassOfItem(graph, star.items[i]),
            fmt::format("{}: {:.2f}", axis.shown()[item], weights[i]),
            ItemAttributes(axis.id, star.items[i]), &node);
    const std::string name = StarName(axis, star.items[i]);
    const double from_centre =
        radius + kFromMark +
        (TextWidth(name, kStarFont) * std::abs(std::sin(angle)) +
         kStarFont * std::abs(std::cos(angle))) /
            2;
    node.Line(
        "<text class='quiet' x='{:.1f}' y='{:.1f}' font-size='{}' "
        "text-anchor='middle'>{}</text>",
        centre + from_centre * std::sin(angle),
        middle - from_centre * std::cos(angle) + 3.5, kStarFont,
        EscapeMarkup(name));
    nodes += node.Take();
  }
  svg.Line("{}", nodes);
  svg.Line(
      "<circle class='link' cx='{:.1f}' cy='{:.1f}' r='11' "
      "stroke-width='{:.2f}' stroke-opacity='0.75'><title>itself: "
      "{:.2f}</title></circle>",
      centre, middle, width(own), own);
  AddNode(centre, middle, 1.2, ClassOfItem(graph, 0), axis.shown()[0],
          ItemAttributes(axis.id, 0), &svg);
  return {kStar, kStar + 6, svg.Take()};
}

std::string NodeTitle(const ExplanationSegment& segment, const Axis& axis,
                      const GraphPayload& graph) {
  std::string title =
      fmt::format("Node {} → {}", axis.shown()[0], segment.answer);
  if (graph.labels.front() >= 0) {
    title +=
        fmt::format(" (label {})", At(graph.classes, graph.labels.front()));
  }
  return title;
}

/// Title of a map, with "14 of 40 neighbours" if not all are drawn.
std::string MapTitle(const AttentionMap& map, const StarWeights& star,
                     size_t drawn) {
  const size_t neighbours = star.items.size() - 1;
  std::string title = fmt::format("{}: what the node attends to", map.title);
  if (neighbours > drawn) {
    title += fmt::format(", {} strongest of {} neighbours", drawn, neighbours);
  }
  return title + fmt::format("; the ring is itself, the widest ray {:.2g}",
                             WidestOf(star));
}

std::vector<Drawing> DrawGraph(const ExplanationSegment& segment,
                               const ViewOptions& /*options*/) {
  const Axis& axis = *GraphAxis(segment);
  const GraphPayload& graph = GraphOf(axis);
  std::vector<Drawing> parts = {DrawHeading(NodeTitle(segment, axis, graph), 2),
                                DrawPlane(axis, graph), DrawClasses(graph)};
  parts.front().svg += ClassStyle();
  for (const AttentionMap* map : StarMaps(segment, axis)) {
    const StarWeights star = StarOf(*map);
    std::vector<Drawing> stars;
    for (size_t h = 0; h < star.heads.size(); ++h) {
      stars.push_back(DrawStar(graph, axis, star, star.heads[h],
                               fmt::format("head {}", h + 1)));
    }
    parts.push_back(DrawHeading(MapTitle(*map, star, kStarNodes), 3));
    parts.push_back(FlowDrawings(stars, kPictureWidth, 12));
  }
  return {StackDrawings(parts, 14)};
}

/// Letter of a class for output without colours; repeats after Z.
std::string_view ClassLetter(int64_t c) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return kLetters.substr(static_cast<size_t>(c) % kLetters.size(), 1);
}

/// Nodes in the plane as dots, or without colour as the letters of their
/// classes; the queried node is a mark.
std::string TerminalPlane(const GraphPayload& graph,
                          const TerminalOptions& terminal) {
  const int columns = std::clamp(terminal.width - 2, 20, 76);
  DotCanvas canvas(columns, kDotRows);
  const auto x_of = [&](size_t i) {
    return static_cast<int>(
        std::lround(graph.places[i][0] * (canvas.dots_across() - 1)));
  };
  const auto y_of = [&](size_t i) {
    return static_cast<int>(
        std::lround(graph.places[i][1] * (canvas.dots_down() - 1)));
  };
  for (size_t i = 0; i < graph.places.size(); ++i) {
    const int colour = SeriesCodeOf(static_cast<size_t>(graph.predicted[i]));
    if (terminal.colour) {
      canvas.Dot(x_of(i), y_of(i), colour);
    } else {
      canvas.Mark(x_of(i), y_of(i), ClassLetter(graph.predicted[i]), colour);
    }
  }
  const auto target = static_cast<size_t>(graph.nodes.front());
  canvas.Mark(x_of(target), y_of(target), "◎",
              SeriesCodeOf(static_cast<size_t>(graph.predicted[target])));
  std::string text;
  for (int row = 0; row < canvas.rows(); ++row) {
    text += "  " + canvas.Row(row, terminal.colour) + "\n";
  }
  return text;
}

std::string TerminalClasses(const GraphPayload& graph,
                            const TerminalOptions& terminal) {
  std::string text = "  ";
  int used = 2;
  for (size_t c = 0; c < std::min(kNamedClasses, graph.classes.size()); ++c) {
    const std::string name = fmt::format(
        "{} {}  ", terminal.colour ? "●" : ClassLetter(static_cast<int64_t>(c)),
        Ellipsize(VisibleToken(graph.classes[c]), 20));
    const int width = DisplayWidth(name);
    if (used > 2 && used + width > terminal.width) {
      text += "\n  ";
      used = 2;
    }
    text +=
        terminal.colour ? terminal::Foreground(SeriesCodeOf(c), name) : name;
    used += width;
  }
  return text + "\n";
}

/// A line per neighbour: its class, the mean weight, and a shade for each head.
std::string TerminalStar(const GraphPayload& graph, const Axis& axis,
                         const AttentionMap& map,
                         const TerminalOptions& terminal) {
  const StarWeights star = StarOf(map);
  const size_t heads = std::min(star.heads.size(), kListedHeads);
  std::string text = fmt::format(
      "  {}: {}\n", Ellipsize(VisibleToken(map.title), 30),
      heads > 1 ? fmt::format("mean weight, and shades of {} heads", heads)
                : "weight");
  const size_t listed = std::min(star.items.size(), kListedNodes);
  for (size_t i = 0; i < listed; ++i) {
    const int64_t item = star.items[i];
    const auto of_class = static_cast<size_t>(ClassOfItem(graph, item));
    std::string name =
        Pad(VisibleToken(At(axis.shown(), item)), 9, Align::kRight);
    text += fmt::format("  {}  {}  {:.2f}", name,
                        Pad(VisibleToken(graph.classes[of_class]), 16),
                        star.mean[i]);
    if (heads > 1) text += "  ";
    for (size_t h = 0; heads > 1 && h < heads; ++h) {
      text += TerminalCell(star.heads[h][i], 2, terminal.colour);
    }
    text += item == 0 ? "  itself\n" : "\n";
  }
  if (listed < star.items.size()) {
    text += fmt::format("  and {} more\n", star.items.size() - listed);
  }
  return text;
}

std::string GraphText(const ExplanationSegment& segment,
                      const ViewOptions& /*options*/,
                      const TerminalOptions& terminal) {
  const Axis& axis = *GraphAxis(segment);
  const GraphPayload& graph = GraphOf(axis);
  std::string text =
      terminal::Strong(terminal, NodeTitle(segment, axis, graph)) + "\n";
  text += TerminalPlane(graph, terminal) + TerminalClasses(graph, terminal);
  for (const AttentionMap* map : StarMaps(segment, axis)) {
    text += TerminalStar(graph, axis, *map, terminal);
  }
  return text;
}

}  // namespace

const GraphPayload& GraphOf(const Axis& axis) {
  const auto fail = [&](const std::string& what) {
    throw ShapeError("axis '{}': a graph {}", axis.id, what);
  };
  const auto& graph = PayloadOf<GraphPayload>(axis);
  const auto within = [](const auto& all, int64_t low, int64_t high) {
    return std::ranges::all_of(all,
                               [&](int64_t i) { return i >= low && i < high; });
  };
  const int64_t nodes = std::ssize(graph.places);
  const int64_t classes = std::ssize(graph.classes);
  if (graph.nodes.empty() || std::ssize(graph.nodes) != axis.size() ||
      std::ssize(graph.labels) != axis.size() ||
      !within(graph.nodes, 0, nodes) || !within(graph.labels, -1, classes)) {
    fail("whose nodes or labels are not those of its items");
  }
  if (std::ssize(graph.predicted) != nodes ||
      !within(graph.predicted, 0, classes)) {
    fail("without a place and a class for each node");
  }
  for (const GraphPayload::Edge& edge : graph.edges) {
    if (!within(std::array{edge.from, edge.to}, 0, nodes)) {
      fail("with an edge to a node that is not there");
    }
  }
  return graph;
}

ExplanationView GraphView() {
  ExplanationView view;
  view.name = "graph";
  view.description =
      "nodes in a plane, edges as wide as the attention along them, and what a "
      "node attends to, head by head";
  view.refusal = [](const ExplanationSegment& segment, const ViewOptions&) {
    return GraphAxis(segment) == nullptr
               ? std::string(
                     "only graphs have nodes and edges; choose another "
                     "view")
               : std::string();
  };
  view.draw = DrawGraph;
  view.text = GraphText;
  view.legend = PictureLegend::kNone;
  view.on_page = true;
  return view;
}

}  // namespace heed
