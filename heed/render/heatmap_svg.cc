#include "heed/render/heatmap_svg.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/base/at.h"
#include "heed/explain/reordering.h"
#include "heed/render/cells.h"
#include "heed/render/markup.h"
#include "heed/render/text_layout.h"
#include "heed/render/token_names.h"
#include "heed/render/view.h"

namespace heed {
namespace {

constexpr double kTitleHeight = 30;
constexpr double kCaptionHeight = 16;
constexpr double kTitleFont = 15;
constexpr double kCaptionFont = 12;
constexpr int kTitleColumns = 60;
constexpr float kFaintest = 0.005f;  // rounds to 0.00 and is not drawn
constexpr int64_t kMaxRects = 2000;

struct Panel {
  const AlignmentView* view = nullptr;
  double cell = 0;
  NameStyle names;
  bool rotated = false;
  double left = 0;  // width of the target labels
  double top = 0;   // height of title and source labels
  double width = 0;
  double height = 0;
};

std::string TitleOf(const AlignmentView& view) {
  return Ellipsize(VisibleToken(view.title), kTitleColumns);
}

double CellSize(const AlignmentView& view) {
  const int64_t longest = std::max(view.source_size(), view.target_size());
  if (longest <= 16) return 26;
  if (longest <= 32) return 22;
  return longest <= 60 ? 18 : 15;
}

Panel Measure(const AlignmentView& view, const HeatmapOptions& options) {
  const std::string& caption = options.caption;
  Panel panel;
  panel.view = &view;
  panel.cell = options.cell > 0 ? options.cell : CellSize(view);
  panel.names.font = std::clamp(panel.cell * 0.58, 10.0, 14.0);
  panel.left = WidestToken(view.target_tokens, panel.names) + 10;
  const double widest = WidestToken(view.source_tokens, panel.names);
  panel.rotated = widest > panel.cell;
  const double source_height =
      (panel.rotated ? LeaningHeight(widest) : 0) + panel.names.font;
  const bool titled = !view.title.empty();
  panel.top = source_height + 8 + (titled ? kTitleHeight : 0) +
              (caption.empty() ? 0 : kCaptionHeight);
  // The last source labels extend beyond the right edge.
  double right = panel.cell * static_cast<double>(view.source_size());
  for (int64_t s = 0; panel.rotated && s < view.source_size(); ++s) {
    const double leaning =
        LeaningWidth(WidestToken({&view.source_tokens[s], 1}, panel.names));
    right = std::max(right,
                     panel.cell * (static_cast<double>(s) + 0.6) + leaning + 6);
  }
  const double title_width = TextWidth(TitleOf(view), kTitleFont);
  panel.width = std::max({panel.left + right, titled ? title_width : 0.0,
                          TextWidth(caption, kCaptionFont)});
  panel.height =
      panel.top + panel.cell * static_cast<double>(view.target_size());
  return panel;
}

class HeatmapWriter {
 public:
  explicit HeatmapWriter(const HeatmapOptions& options) : options_(options) {}

  Drawing Draw(const Panel& panel) {
    if (!panel.view->title.empty()) {
      svg_.Line("<text class='title' y='14' font-size='{}'>{}</text>",
                kTitleFont, EscapeMarkup(TitleOf(*panel.view)));
    }
    if (!options_.caption.empty()) {
      svg_.Line("<text class='quiet' y='32' font-size='{}'>{}</text>",
                kCaptionFont, EscapeMarkup(options_.caption));
    }
    svg_.Line(
        "<g class='matrix' data-cell='{}' "
        "transform='translate({:.1f} {:.1f})'>",
        panel.cell, panel.left, panel.top);
    const AlignmentView& view = *panel.view;
    AddColumnNames(view.source_tokens, panel.cell, panel.rotated, panel.names,
                   &svg_);
    AddRowNames(view.target_tokens, -8, panel.cell, panel.names, &svg_);
    if (!panel.view->weights.empty()) DrawCells(panel);
    if (panel.view->links) {
      DrawLinks(panel);
    } else if (options_.outline_off_diagonal) {
      DrawBlocks(panel);
    }
    svg_.Line("</g>");
    return {panel.width, panel.height, svg_.Take()};
  }

 private:
  void DrawCells(const Panel& panel) {
    const AlignmentView& view = *panel.view;
    const double cell = panel.cell;
    svg_.Line("<rect class='field' width='{}' height='{}'/>",
              cell * static_cast<double>(view.source_size()),
              cell * static_cast<double>(view.target_size()));
    if (view.target_size() * view.source_size() > kMaxRects) {
      DrawManyCells(panel);
    } else {
      DrawCellByCell(panel);
    }
    DrawGrid(panel);
  }

  /// Factor from the weights of row t to shades.
  float FactorOf(const AlignmentView& view, int64_t t) const {
    if (options_.with_sign) return 1;
    return ShadeFactor(RowAt(view, t), options_.full);
  }

  float ValueOf(const AlignmentView& view, int64_t t, int64_t s) const {
    if (!options_.with_sign) return view.weight(t, s);
    const float value = At(view.weights, t * view.source_size() + s);
    return std::isnan(value) ? 0 : std::clamp(value, -1.0f, 1.0f);
  }

  void DrawCellByCell(const Panel& panel) {
    const AlignmentView& view = *panel.view;
    const double cell = panel.cell;
    for (int64_t t = 0; t < view.target_size(); ++t) {
      const float factor = FactorOf(view, t);
      for (int64_t s = 0; s < view.source_size(); ++s) {
        const float value = ValueOf(view, t, s);
        const float shade = std::min(std::abs(value * factor), 1.0f);
        if (shade < kFaintest) continue;
        svg_.Line(
            "<rect class='{}' x='{}' y='{}' width='{}' height='{}' "
            "fill-opacity='{:.2f}'><title>{} ← {}: {:.2f}</title></rect>",
            value < 0 ? "minus" : "cell", cell * static_cast<double>(s),
            cell * static_cast<double>(t), cell, cell, shade,
            EscapeMarkup(ShortToken(view.target_tokens[t], panel.names)),
            EscapeMarkup(ShortToken(view.source_tokens[s], panel.names)),
            value);
      }
    }
  }

  void DrawManyCells(const Panel& panel) {
    const AlignmentView& view = *panel.view;
    std::vector<float> values;
    std::vector<float> shades;
    for (int64_t t = 0; t < view.target_size(); ++t) {
      const float factor = FactorOf(view, t);
      for (int64_t s = 0; s < view.source_size(); ++s) {
        values.push_back(ValueOf(view, t, s));
        shades.push_back(std::clamp(values.back() * factor, -1.0f, 1.0f));
      }
    }
    AddCells(shades, view.source_size(), panel.cell, panel.cell, &svg_);
    AddRowTips(view.target_tokens, view.source_tokens, values, panel.cell, 4,
               &svg_);
  }

  void DrawGrid(const Panel& panel) {
    const int64_t columns = panel.view->source_size();
    const int64_t rows = panel.view->target_size();
    std::string lines;
    for (int64_t s = 1; s < columns; ++s) {
      lines += fmt::format("M{} 0v{}", panel.cell * static_cast<double>(s),
                           panel.cell * static_cast<double>(rows));
    }
    for (int64_t t = 1; t < rows; ++t) {
      lines += fmt::format("M0 {}h{}", panel.cell * static_cast<double>(t),
                           panel.cell * static_cast<double>(columns));
    }
    svg_.Line("<path class='grid' pointer-events='none' d='{}'/>", lines);
  }

  void DrawBlocks(const Panel& panel) {
    for (const AlignmentBlock& block : ReorderedBlocks(*panel.view)) {
      Outline(panel, block, "moved");
    }
  }

  void DrawLinks(const Panel& panel) {
    for (const AlignmentLink& link : *panel.view->links) {
      AlignmentBlock cell;
      cell.source_begin = link.source;
      cell.source_end = link.source + 1;
      cell.target_begin = link.target;
      cell.target_end = link.target + 1;
      Outline(panel, cell, "linked");
    }
  }

  void Outline(const Panel& panel, const AlignmentBlock& block,
               std::string_view style) {
    const double cell = panel.cell;
    svg_.Line(
        "<rect class='{}' pointer-events='none' x='{}' y='{}' width='{}' "
        "height='{}' rx='3'/>",
        style, cell * static_cast<double>(block.source_begin) + 1,
        cell * static_cast<double>(block.target_begin) + 1,
        cell * static_cast<double>(block.source_end - block.source_begin) - 2,
        cell * static_cast<double>(block.target_end - block.target_begin) - 2);
  }

  const HeatmapOptions& options_;
  MarkupWriter svg_;
};

}  // namespace

Drawing DrawHeatmap(const AlignmentView& view, const HeatmapOptions& options) {
  CheckAlignment(view);
  return HeatmapWriter(options).Draw(Measure(view, options));
}

std::string AlignmentSvg(std::span<const AlignmentView> views,
                         const AlignmentSvgOptions& options) {
  std::vector<Drawing> drawings;
  for (const AlignmentView& view : views) {
    drawings.push_back(DrawHeatmap(
        view, {.outline_off_diagonal = options.outline_off_diagonal}));
  }
  return SvgPicture(drawings, {.label = "Attention weights",
                               .legend = {PictureLegend::kWeights}});
}

}  // namespace heed
