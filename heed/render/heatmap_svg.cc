#include "heed/render/heatmap_svg.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/explain/reordering.h"
#include "heed/render/cells.h"
#include "heed/render/markup.h"
#include "heed/render/text_layout.h"
#include "heed/render/view.h"

namespace heed {
namespace {

constexpr double kTitleHeight = 30;
constexpr double kCaptionHeight = 16;
constexpr double kTitleFont = 15;
constexpr double kCaptionFont = 12;
constexpr int kTitleColumns = 60;
constexpr int kLabelColumns = 24;    // longest label of a token
constexpr int kAngle = 52;           // of a source word, in degrees
constexpr float kFaintest = 0.005f;  // rounds to 0.00 and is not drawn
constexpr int64_t kMostRects = 2000;
constexpr double kRadians = 3.14159265358979 / 180;

struct Panel {
  const AlignmentView* view = nullptr;
  double cell = 0;
  double font = 0;
  bool rotated = false;
  double left = 0;  // width of the target labels
  double top = 0;   // height of title and source labels
  double width = 0;
  double height = 0;
};

std::string TitleOf(const AlignmentView& view) {
  return Ellipsize(VisibleToken(view.title), kTitleColumns);
}

std::string Label(const std::string& token) {
  return Ellipsize(VisibleToken(token), kLabelColumns);
}

double CellSize(const AlignmentView& view) {
  const int64_t longest = std::max(view.source_size(), view.target_size());
  if (longest <= 16) return 26;
  if (longest <= 32) return 22;
  return longest <= 60 ? 18 : 15;
}

double WidestLabel(std::span<const std::string> tokens, double font) {
  double widest = 0;
  for (const std::string& token : tokens) {
    widest = std::max(widest, TextWidth(Label(token), font));
  }
  return widest;
}

Panel Measure(const AlignmentView& view, const std::string& caption) {
  Panel panel;
  panel.view = &view;
  panel.cell = CellSize(view);
  panel.font = std::clamp(panel.cell * 0.58, 10.0, 14.0);
  panel.left = WidestLabel(view.target_tokens, panel.font) + 10;
  const double widest = WidestLabel(view.source_tokens, panel.font);
  panel.rotated = widest > panel.cell;
  const double source_height =
      panel.rotated ? widest * std::sin(kAngle * kRadians) + panel.font
                    : panel.font;
  const bool titled = !view.title.empty();
  panel.top = source_height + 8 + (titled ? kTitleHeight : 0) +
              (caption.empty() ? 0 : kCaptionHeight);
  // The last source labels lean over the right edge.
  double right = panel.cell * static_cast<double>(view.source_size());
  for (int64_t s = 0; panel.rotated && s < view.source_size(); ++s) {
    const double leaning = TextWidth(Label(view.source_tokens[s]), panel.font) *
                           std::cos(kAngle * kRadians);
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
        "<g class='matrix' data-cell='{}' font-size='{:.1f}' "
        "transform='translate({:.1f} {:.1f})'>",
        panel.cell, panel.font, panel.left, panel.top);
    DrawSourceLabels(panel);
    DrawTargetLabels(panel);
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
  void DrawSourceLabels(const Panel& panel) {
    double x = panel.cell / 2;
    for (const std::string& token : panel.view->source_tokens) {
      const std::string label = MarkupToken(token, kLabelColumns);
      if (panel.rotated) {
        svg_.Line(
            "<text class='token' transform='translate({:.1f} -7) "
            "rotate(-{})'>{}</text>",
            x + panel.font * 0.25, kAngle, label);
      } else {
        svg_.Line(
            "<text class='token' x='{:.1f}' y='-7' "
            "text-anchor='middle'>{}</text>",
            x, label);
      }
      x += panel.cell;
    }
  }

  void DrawTargetLabels(const Panel& panel) {
    double y = panel.cell / 2 + panel.font * 0.35;
    for (const std::string& token : panel.view->target_tokens) {
      svg_.Line(
          "<text class='token' x='-8' y='{:.1f}' text-anchor='end'>{}</text>",
          y, MarkupToken(token, kLabelColumns));
      y += panel.cell;
    }
  }

  void DrawCells(const Panel& panel) {
    const AlignmentView& view = *panel.view;
    const double cell = panel.cell;
    svg_.Line("<rect class='field' width='{}' height='{}'/>",
              cell * static_cast<double>(view.source_size()),
              cell * static_cast<double>(view.target_size()));
    if (view.target_size() * view.source_size() > kMostRects) {
      DrawManyCells(panel);
    } else {
      DrawCellByCell(panel);
    }
    DrawGrid(panel);
  }

  /// What makes a weight of row t a shade.
  float FactorOf(const AlignmentView& view, int64_t t) const {
    if (options_.with_sign) return 1;
    return ShadeFactor(RowAt(view, t), options_.full);
  }

  float ValueOf(const AlignmentView& view, int64_t t, int64_t s) const {
    if (!options_.with_sign) return view.weight(t, s);
    const float value =
        view.weights[static_cast<size_t>(t * view.source_size() + s)];
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
            EscapeMarkup(Label(view.target_tokens[t])),
            EscapeMarkup(Label(view.source_tokens[s])), value);
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
    for (int64_t t = 0; t < view.target_size(); ++t) {
      const auto row =
          std::span(values).subspan(static_cast<size_t>(t * view.source_size()),
                                    view.source_tokens.size());
      svg_.Line(
          "<rect fill='none' pointer-events='all' y='{}' width='{}' "
          "height='{}'><title>{} ← {}</title></rect>",
          panel.cell * static_cast<double>(t),
          panel.cell * static_cast<double>(view.source_size()), panel.cell,
          EscapeMarkup(Label(view.target_tokens[t])),
          EscapeMarkup(StrongestOf(row, view.source_tokens, 4)));
    }
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
  return HeatmapWriter(options).Draw(Measure(view, options.caption));
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
