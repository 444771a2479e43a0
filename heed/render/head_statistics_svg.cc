#include "heed/render/head_statistics_svg.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/render/markup.h"
#include "heed/render/number_matrix.h"
#include "heed/render/token_names.h"

namespace heed {
namespace {

constexpr NameStyle kLayerNames = {.font = 12, .columns = 44};

struct StatisticsTable {
  std::string title;
  std::string caption;
  std::vector<std::string> layers;
  NumberRows rows;

  void Add(const std::string& layer, std::vector<float> row) {
    layers.push_back(layer);
    rows.push_back(std::move(row));
  }
};

Drawing DrawTable(const StatisticsTable& table) {
  const double left = WidestToken(table.layers, kLayerNames) + 10;
  size_t heads = 0;
  for (const auto& row : table.rows) heads = std::max(heads, row.size());
  const NumberMatrix matrix = {.scale = LargestOf(table.rows)};
  MarkupWriter svg;
  for (size_t h = 0; h < heads; ++h) {
    svg.Line(
        "<text class='quiet' x='{:.1f}' y='12' font-size='{}' "
        "text-anchor='middle'>{}</text>",
        left + matrix.cell_width * (static_cast<double>(h) + 0.5),
        kLayerNames.font, h);
  }
  svg.Line("<g class='matrix' transform='translate({:.1f} 18)'>", left);
  AddRowNames(table.layers, -8, matrix.cell_height, kLayerNames, &svg);
  matrix.Add(table.rows, &svg);
  svg.Line("</g>");
  const std::vector<Drawing> parts = {
      DrawHeading(table.title, 2),
      DrawHeading(table.caption, 3),
      {left + matrix.cell_width * static_cast<double>(heads),
       18 + matrix.cell_height * static_cast<double>(table.rows.size()),
       svg.Take()}};
  return StackDrawings(parts, 6);
}

}  // namespace

Drawing DrawHeadStatistics(std::span<const LayerStatistics> layers,
                           std::span<const LayerImportance> importance) {
  std::vector<StatisticsTable> tables = {
      {"Entropy", "bits; 0: all attention on one token", {}, {}},
      {"Words", "over how many the attention is spread", {}, {}},
      {"Distance", "in tokens, within one side", {}, {}},
      {"Distance between two sides", "as part of their length", {}, {}},
      {"From step to step",
       "0: always the same weights, 1: all others",
       {},
       {}},
      {"Importance",
       "change of the answer without the head, to first order",
       {},
       {}}};
  for (const LayerStatistics& layer : layers) {
    std::vector<float> entropy;
    std::vector<float> words;
    std::vector<float> distance;
    std::vector<float> step;
    for (const HeadStatistics& head : layer.heads) {
      entropy.push_back(static_cast<float>(head.entropy));
      words.push_back(static_cast<float>(head.words));
      distance.push_back(static_cast<float>(head.distance));
      if (!std::isnan(head.step)) step.push_back(static_cast<float>(head.step));
    }
    tables[0].Add(layer.layer, std::move(entropy));
    tables[1].Add(layer.layer, std::move(words));
    tables[layer.within_axis ? 2 : 3].Add(layer.layer, std::move(distance));
    if (!step.empty()) tables[4].Add(layer.layer, std::move(step));
  }
  for (const LayerImportance& layer : importance) {
    tables[5].Add(layer.layer, {layer.heads.begin(), layer.heads.end()});
  }
  std::vector<Drawing> drawings;
  for (const StatisticsTable& table : tables) {
    if (!table.rows.empty()) drawings.push_back(DrawTable(table));
  }
  return FlowDrawings(drawings, kPictureWidth, kPictureGap);
}

std::string HeadStatisticsSvg(std::span<const LayerStatistics> layers,
                              std::span<const LayerImportance> importance) {
  const Drawing drawing = DrawHeadStatistics(layers, importance);
  return SvgPicture({&drawing, 1},
                    {.label = "What the heads do over many texts"});
}

}  // namespace heed
