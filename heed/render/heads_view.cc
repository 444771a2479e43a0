#include "heed/render/heads_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/explain/head_statistics.h"
#include "heed/render/cells.h"
#include "heed/render/layer_groups.h"
#include "heed/render/markup.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/text_layout.h"
#include "heed/render/token_names.h"

namespace heed {
namespace {

constexpr double kTileGap = 16;
constexpr double kNarrowestSlot = 88;  // fits the numbers below a tile
constexpr double kWidestTile = 150;
constexpr double kWidestLoneTile = 300;
constexpr double kLabelRoom = 90;  // left of the first tile
constexpr double kLargestCell = 24;
constexpr double kCellWithLabel = 10;
constexpr double kTileFont = 10;
constexpr int64_t kMaxRowTips = 4000;
constexpr int64_t kPooledSide = 64;  // most rows and columns of a large map

// Number of cells that are drawn for this many items of a map.
int64_t DrawnCells(const AttentionMap& map, int64_t items) {
  return map.large() ? std::min(items, kPooledSide) : items;
}

// Size of the tiles of a group, and the space for token names.
struct TileLayout {
  double cell = 0;
  double slot = 0;  // width of a tile or of the numbers below
  double left = 0;  // width of row labels
  double top = 0;   // height of column labels
  NameStyle names = {.font = 0, .columns = 12};
};

class HeadsWriter {
 public:
  HeadsWriter(const ExplanationSegment& segment, double full)
      : segment_(segment), full_(full) {}

  Drawing Draw() {
    std::vector<Drawing> parts;
    const std::string title = TitleOf(segment_);
    if (!title.empty()) parts.push_back(DrawHeading(title, 2));
    int64_t rows = 0;
    for (const AttentionMap& layer : segment_.maps) {
      rows += layer.heads * layer.query_size;
    }
    row_tips_ = rows <= kMaxRowTips;
    std::vector<Drawing> groups;
    for (const LayerGroup& group : GroupsOf(segment_)) {
      const std::vector<Drawing> titled = {DrawHeading(group.title, 2),
                                           DrawGroup(group)};
      groups.push_back(StackDrawings(titled, 12));
    }
    parts.push_back(FlowDrawings(groups, kPictureWidth, kPictureGap));
    parts.push_back(
        DrawHeading("Rows attend to columns. bits: entropy, 0 where all "
                    "attention is on one token; ↔: mean distance, in tokens, "
                    "between two sides as part of the length" +
                        std::string(Pools() ? ". A cell of a large map shows "
                                              "the largest of its weights"
                                            : ""),
                    3));
    return StackDrawings(parts, 14);
  }

 private:
  bool Pools() const {
    return std::ranges::any_of(segment_.maps, &AttentionMap::large);
  }

  TileLayout Measure(const LayerGroup& group) const {
    int64_t heads = 1;
    int64_t longest = 1;
    for (size_t index : group.layers) {
      const AttentionMap& layer = segment_.maps[index];
      heads = std::max(heads, layer.heads);
      longest = std::max({longest, DrawnCells(layer, layer.query_size),
                          DrawnCells(layer, layer.key_size)});
    }
    const double room =
        (kPictureWidth - kLabelRoom) / static_cast<double>(heads) - kTileGap;
    TileLayout layout;
    layout.cell = std::clamp(room, kNarrowestSlot,
                             heads == 1 ? kWidestLoneTile : kWidestTile) /
                  static_cast<double>(longest);
    layout.cell = std::min(layout.cell, kLargestCell);
    // Whole pixels are sharp; tiny cells need fractions to save space.
    layout.cell = layout.cell >= 3
                      ? std::floor(layout.cell)
                      : std::max(0.5, std::floor(layout.cell * 4) / 4);
    const AttentionMap& first = segment_.maps[group.layers.front()];
    if (layout.cell >= kCellWithLabel) {
      layout.names.font = std::min(layout.cell * 0.85, 12.0);
      const auto widest = [&](const std::string& axis) {
        return WidestToken(segment_.axis(axis).shown(), layout.names);
      };
      layout.left = 6 + widest(first.query);
      layout.top = 8 + LeaningHeight(widest(first.key));
    }
    layout.slot = std::max(
        kNarrowestSlot,
        layout.cell * static_cast<double>(DrawnCells(first, first.key_size)));
    return layout;
  }

  Drawing DrawGroup(const LayerGroup& group) {
    const TileLayout layout = Measure(group);
    MarkupWriter svg;
    double y = 0;
    double width = 0;
    for (size_t index : group.layers) {
      const AttentionMap& layer = segment_.maps[index];
      svg.Line("<text class='quiet' y='{:.1f}' font-size='12'>{}</text>",
               y + 12, EscapeMarkup(layer.name));
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
        const bool named = layout.names.font > 0;
        if (labelled && named) {
          AddColumnNames(segment_.axis(layer.key).shown(), layout.cell, true,
                         layout.names, &svg);
        }
        if (head == 0 && named) {
          AddRowNames(segment_.axis(layer.query).shown(), -5, layout.cell,
                      layout.names, &svg);
        }
        AddTile(layer, head, At(statistics, head), layout, &svg);
        svg.Line("</g>");
        width = std::max(width, x + layout.slot);
      }
      y += layout.cell *
               static_cast<double>(DrawnCells(layer, layer.query_size)) +
           30;
    }
    return {width, y - 10, svg.Take()};
  }

  std::vector<float> ShadesOf(int64_t columns,
                              std::vector<float> weights) const {
    const auto width = static_cast<size_t>(columns);
    for (size_t begin = 0; begin < weights.size(); begin += width) {
      const auto row = std::span(weights).subspan(begin, width);
      const float factor = ShadeFactor(row, full_);
      for (float& w : row) w = std::min(w * factor, 1.0f);
    }
    return weights;
  }

  void AddTile(const AttentionMap& layer, int64_t head,
               const HeadStatistics& statistics, const TileLayout& layout,
               MarkupWriter* svg) const {
    const int64_t columns = DrawnCells(layer, layer.key_size);
    const double width = layout.cell * static_cast<double>(columns);
    const double height =
        layout.cell * static_cast<double>(DrawnCells(layer, layer.query_size));
    const bool same = layer.within_axis();
    const std::string distance =
        fmt::format("{:.{}f}", statistics.distance, same ? 1 : 2);
    svg->Line("<title>{}, head {}: entropy {:.2f} bits, distance {}</title>",
              EscapeMarkup(layer.name), head, statistics.entropy, distance);
    svg->Line("<rect class='field' width='{}' height='{}'/>", width, height);
    const std::vector<float> weights =
        layer.large() ? layer.Pooled(head, kPooledSide) : layer.OfHead(head);
    AddCells(ShadesOf(columns, weights), columns, layout.cell, layout.cell,
             svg);
    if (row_tips_ && !layer.large()) {
      AddRowTips(segment_.axis(layer.query).shown(),
                 segment_.axis(layer.key).shown(), weights, layout.cell, 3,
                 svg);
    }
    svg->Line(
        "<text y='{:.1f}' font-size='{}'><tspan class='token'>{}</tspan><tspan "
        "class='quiet' dx='5'>{:.2f} bits</tspan><tspan class='quiet' "
        "dx='5'>↔{}</tspan></text>",
        height + 13, kTileFont, head, statistics.entropy, distance);
  }

  const ExplanationSegment& segment_;
  double full_;
  bool row_tips_ = false;
};

// --- terminal ---

constexpr int64_t kTileMin = 14;  // columns; holds the numbers below
constexpr int64_t kTileMax = 24;
constexpr int kTileSpace = 2;

// A downscaled matrix: each cell is the maximum of the cells it represents.
struct Tile {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<float> cells;

  float at(int64_t row, int64_t column) const {
    return row < rows ? At(cells, row * columns + column) : 0;
  }
};

// Lines of one head: its tile and the numbers below, `slot` columns wide.
std::vector<std::string> HeadLines(const AttentionMap& layer, int64_t head,
                                   const HeadStatistics& statistics,
                                   int64_t max, int slot, bool colour) {
  const Tile tile{std::min(layer.query_size, max),
                  std::min(layer.key_size, max), layer.Pooled(head, max)};
  const std::string space(static_cast<size_t>(slot - tile.columns), ' ');
  std::vector<std::string> lines;
  for (int64_t row = 0; row < tile.rows; row += colour ? 2 : 1) {
    std::string line;
    for (int64_t column = 0; column < tile.columns; ++column) {
      line += colour ? TerminalHalfCells(tile.at(row, column),
                                         tile.at(row + 1, column))
                     : TerminalCell(tile.at(row, column), 1, false);
    }
    lines.push_back(line + space);
  }
  const int digits = layer.within_axis() ? 1 : 2;
  lines.push_back(
      Pad(fmt::format("{} {:.2f} ↔{:.{}f}", head, statistics.entropy,
                      statistics.distance, digits),
          slot));
  return lines;
}

std::string LayerTiles(const AttentionMap& layer,
                       const TerminalOptions& terminal) {
  const int64_t heads = std::max<int64_t>(layer.heads, 1);
  const int64_t max =
      std::clamp(terminal.width / heads - kTileSpace, kTileMin, kTileMax);
  const int slot =
      static_cast<int>(std::max(kTileMin, std::min(max, layer.key_size)));
  const int64_t fitting =
      std::max((terminal.width + kTileSpace) / (slot + kTileSpace), 1);
  const auto statistics = StatisticsOf(layer);
  std::string out;
  for (int64_t begin = 0; begin < layer.heads; begin += fitting) {
    std::vector<std::string> lines;
    for (int64_t h = begin; h < std::min(begin + fitting, layer.heads); ++h) {
      const auto tile =
          HeadLines(layer, h, At(statistics, h), max, slot, terminal.colour);
      lines.resize(tile.size());
      for (size_t i = 0; i < tile.size(); ++i) {
        if (h > begin) lines[i] += std::string(kTileSpace, ' ');
        lines[i] += tile[i];
      }
    }
    for (const std::string& line : lines) out += line + '\n';
  }
  return out;
}

std::string HeadsText(const ExplanationSegment& segment,
                      const TerminalOptions& terminal) {
  std::string out;
  const std::string title = TitleOf(segment);
  if (!title.empty()) {
    out += terminal::Strong(terminal, Ellipsize(title, terminal.width)) + '\n';
  }
  for (const LayerGroup& group : GroupsOf(segment)) {
    out += terminal::Strong(terminal, group.title) + '\n';
    for (size_t index : group.layers) {
      const AttentionMap& layer = segment.maps[index];
      out += terminal::Quiet(terminal, Ellipsize(layer.name, terminal.width)) +
             '\n';
      out += LayerTiles(layer, terminal);
    }
    out += '\n';
  }
  return out +
         terminal::Quiet(
             terminal,
             "head, entropy in bits, ↔ mean distance; rows are queries\n");
}

}  // namespace

Drawing DrawHeads(const ExplanationSegment& segment, double full) {
  return HeadsWriter(segment, full).Draw();
}

ExplanationView HeadsView() {
  ExplanationView view;
  view.name = "heads";
  view.description = "all heads of all layers";
  view.refusal = [](const ExplanationSegment& segment, const ViewOptions&) {
    if (!segment.maps.empty()) return std::string();
    // Attribution methods would have something to show but were not requested.
    const bool advises =
        segment.attributions.empty() && segment.axes.size() > 1;
    return std::string("the model has no attention to show") +
           (advises ? "; --methods shows what its answers depend on" : "");
  };
  view.draw = [](const ExplanationSegment& segment,
                 const ViewOptions& options) -> std::vector<Drawing> {
    return {DrawHeads(segment, options.full)};
  };
  view.text = [](const ExplanationSegment& segment, const ViewOptions&,
                 const TerminalOptions& terminal) {
    return HeadsText(segment, terminal);
  };
  view.largest = [](const ExplanationSegment& segment, const ViewOptions&) {
    float largest = 0;
    for (const AttentionMap& map : segment.maps) {
      largest = std::max(largest, map.Largest());
    }
    return largest;
  };
  return view;
}

}  // namespace heed
