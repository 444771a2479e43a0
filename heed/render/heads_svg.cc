#include "heed/render/heads_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "heed/render/cells.h"
#include "heed/render/layer_groups.h"
#include "heed/render/markup.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kTileGap = 16;
constexpr double kNarrowestSlot = 88;  // room for the numbers below a tile
constexpr double kWidestTile = 150;
constexpr double kWidestLoneTile = 300;
constexpr double kLabelRoom = 90;  // left of the first tile
constexpr double kLargestCell = 24;
constexpr double kCellWithLabel = 10;
constexpr double kTileFont = 10;
constexpr int kTileLabelColumns = 12;
constexpr int kTileAngle = 60;
constexpr int64_t kMostRowTips = 4000;

// How large the tiles of a group are, and whether tokens stand beside them.
struct TileLayout {
  double cell = 0;
  double slot = 0;  // width of a tile or of the numbers below
  double left = 0;  // labels of rows
  double top = 0;   // labels of columns
  double font = 0;
};

double WidestTileLabel(std::span<const std::string> tokens, double font) {
  double widest = 0;
  for (const std::string& token : tokens) {
    widest = std::max(
        widest,
        TextWidth(Ellipsize(VisibleToken(token), kTileLabelColumns), font));
  }
  return widest;
}

class HeadsWriter {
 public:
  explicit HeadsWriter(const Explanation& explanation)
      : explanation_(explanation) {}

  Drawing Draw() {
    std::vector<Drawing> parts;
    if (!explanation_.text.empty()) {
      parts.push_back(DrawHeading(
          fmt::format("{} → {}", explanation_.text, explanation_.answer), 2));
    }
    int64_t rows = 0;
    for (const LayerAttention& layer : explanation_.layers) {
      rows += layer.heads * layer.query_size;
    }
    row_tips_ = rows <= kMostRowTips;
    std::vector<Drawing> groups;
    for (const LayerGroup& group : GroupsOf(explanation_)) {
      const std::vector<Drawing> titled = {DrawHeading(group.title, 2),
                                           DrawGroup(group)};
      groups.push_back(StackDrawings(titled, 12));
    }
    parts.push_back(FlowDrawings(groups, kPictureWidth, kPictureGap));
    parts.push_back(
        DrawHeading("Rows attend to columns. bits: entropy, 0 where all "
                    "attention is on one token; ↔: mean distance, in tokens, "
                    "between two sides as part of the length",
                    3));
    return StackDrawings(parts, 14);
  }

 private:
  TileLayout Measure(const LayerGroup& group) const {
    int64_t heads = 1;
    int64_t longest = 1;
    for (size_t index : group.layers) {
      const LayerAttention& layer = explanation_.layers[index];
      heads = std::max(heads, layer.heads);
      longest = std::max({longest, layer.query_size, layer.key_size});
    }
    const double room =
        (kPictureWidth - kLabelRoom) / static_cast<double>(heads) - kTileGap;
    TileLayout layout;
    layout.cell = std::clamp(room, kNarrowestSlot,
                             heads == 1 ? kWidestLoneTile : kWidestTile) /
                  static_cast<double>(longest);
    layout.cell = std::min(layout.cell, kLargestCell);
    // Whole pixels are sharp; tiny cells need the room more.
    layout.cell = layout.cell >= 3
                      ? std::floor(layout.cell)
                      : std::max(0.5, std::floor(layout.cell * 4) / 4);
    const LayerAttention& first = explanation_.layers[group.layers.front()];
    if (layout.cell >= kCellWithLabel) {
      layout.font = std::min(layout.cell * 0.85, 12.0);
      layout.left =
          6 + WidestTileLabel(explanation_.tokens(first.queries), layout.font);
      layout.top =
          8 + std::sin(kTileAngle * 3.14159265358979 / 180) *
                  WidestTileLabel(explanation_.tokens(first.keys), layout.font);
    }
    layout.slot = std::max(kNarrowestSlot,
                           layout.cell * static_cast<double>(first.key_size));
    return layout;
  }

  Drawing DrawGroup(const LayerGroup& group) {
    const TileLayout layout = Measure(group);
    MarkupWriter svg;
    double y = 0;
    double width = 0;
    for (size_t index : group.layers) {
      const LayerAttention& layer = explanation_.layers[index];
      svg.Line("<text class='quiet' y='{:.1f}' font-size='12'>{}</text>",
               y + 12, EscapeMarkup(layer.layer));
      const bool labelled = index == group.layers.front();
      y += 20 + (labelled ? layout.top : 0);
      const auto statistics = StatisticsOf(layer);
      for (int64_t head = 0; head < layer.heads; ++head) {
        const double x =
            layout.left + static_cast<double>(head) * (layout.slot + kTileGap);
        svg.Line(
            "<g class='head' data-layer='{}' data-head='{}' "
            "transform='translate({:.1f} {:.1f})'>",
            index, head, x, y);
        if (labelled && layout.font > 0) AddKeys(layer, layout, &svg);
        if (head == 0 && layout.font > 0) AddQueries(layer, layout, &svg);
        AddTile(layer, head, statistics[static_cast<size_t>(head)], layout,
                &svg);
        svg.Line("</g>");
        width = std::max(width, x + layout.slot);
      }
      y += layout.cell * static_cast<double>(layer.query_size) + 30;
    }
    return {width, y - 10, svg.Take()};
  }

  void AddKeys(const LayerAttention& layer, const TileLayout& layout,
               MarkupWriter* svg) const {
    double x = layout.cell / 2;
    for (const std::string& token : explanation_.tokens(layer.keys)) {
      svg->Line(
          "<text class='token' font-size='{:.1f}' transform='translate({:.1f} "
          "-4) rotate(-{})'>{}</text>",
          layout.font, x + layout.font * 0.3, kTileAngle,
          MarkupToken(token, kTileLabelColumns));
      x += layout.cell;
    }
  }

  void AddQueries(const LayerAttention& layer, const TileLayout& layout,
                  MarkupWriter* svg) const {
    double y = layout.cell / 2 + layout.font * 0.35;
    for (const std::string& token : explanation_.tokens(layer.queries)) {
      svg->Line(
          "<text class='token' font-size='{:.1f}' x='-5' y='{:.1f}' "
          "text-anchor='end'>{}</text>",
          layout.font, y, MarkupToken(token, kTileLabelColumns));
      y += layout.cell;
    }
  }

  static std::string LabelOf(const std::string& token) {
    return EscapeMarkup(Ellipsize(VisibleToken(token), kTileLabelColumns));
  }

  void AddTile(const LayerAttention& layer, int64_t head,
               const HeadStatistics& statistics, const TileLayout& layout,
               MarkupWriter* svg) const {
    const double width = layout.cell * static_cast<double>(layer.key_size);
    const double height = layout.cell * static_cast<double>(layer.query_size);
    const bool same = layer.queries == layer.keys;
    const std::string distance =
        fmt::format("{:.{}f}", statistics.distance, same ? 1 : 2);
    svg->Line("<title>{}, head {}: entropy {:.2f} bits, distance {}</title>",
              EscapeMarkup(layer.layer), head, statistics.entropy, distance);
    svg->Line("<rect class='field' width='{}' height='{}'/>", width, height);
    const std::vector<float> weights = layer.OfHead(head);
    AddCells(weights, layer.key_size, layout.cell, layout.cell, svg);
    if (row_tips_) AddRowTips(layer, weights, layout.cell, width, svg);
    svg->Line(
        "<text y='{:.1f}' font-size='{}'><tspan class='token'>{}</tspan><tspan "
        "class='quiet' dx='5'>{:.2f} bits</tspan><tspan class='quiet' "
        "dx='5'>↔{}</tspan></text>",
        height + 13, kTileFont, head, statistics.entropy, distance);
  }

  void AddRowTips(const LayerAttention& layer, std::span<const float> weights,
                  double cell, double width, MarkupWriter* svg) const {
    const auto& queries = explanation_.tokens(layer.queries);
    const auto& keys = explanation_.tokens(layer.keys);
    for (int64_t t = 0; t < layer.query_size; ++t) {
      const auto row = weights.subspan(static_cast<size_t>(t * layer.key_size),
                                       static_cast<size_t>(layer.key_size));
      svg->Line(
          "<rect fill='none' pointer-events='all' y='{}' width='{}' "
          "height='{}'><title>{} ← {}</title></rect>",
          cell * static_cast<double>(t), width, cell,
          LabelOf(queries[static_cast<size_t>(t)]),
          EscapeMarkup(StrongestOf(row, keys, 3)));
    }
  }

  const Explanation& explanation_;
  bool row_tips_ = false;
};

}  // namespace

Drawing DrawHeads(const Explanation& explanation) {
  CheckExplanation(explanation);
  return HeadsWriter(explanation).Draw();
}

}  // namespace heed
