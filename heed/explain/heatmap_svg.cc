#include "heed/explain/heatmap_svg.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "heed/explain/markup.h"
#include "heed/explain/text_layout.h"

namespace heed {
namespace {

constexpr double kMargin = 24;
constexpr double kGap = 44;          // between heatmaps
constexpr double kPageWidth = 1160;  // heatmaps side by side up to here
constexpr double kTitleHeight = 30;
constexpr double kLegendHeight = 52;
constexpr double kLegendWidth = 160;
constexpr double kTitleFont = 15;
constexpr int kTitleColumns = 60;
constexpr int kLabelColumns = 24;    // longest label of a token
constexpr int kAngle = 52;           // of a source word, in degrees
constexpr float kFaintest = 0.005f;  // rounds to 0.00 and is not drawn
constexpr double kRadians = 3.14159265358979 / 180;

constexpr std::string_view kColours =
    R"(.heed .paper{fill:#fff}.heed .field{fill:#edf1f6}
.heed .grid{stroke:#fff;fill:none}.heed .cell{fill:#0b4a94}
.heed .tone{stop-color:#0b4a94}.heed .token{fill:#24292f}
.heed .title{fill:#101418;font-weight:600}.heed .quiet{fill:#5b6570}
.heed .moved{fill:none;stroke:#d9480f;stroke-width:2}
@media (prefers-color-scheme:dark){
.heed .paper{fill:#10151d}.heed .field{fill:#1b2431}
.heed .grid{stroke:#10151d}.heed .cell{fill:#8ccbff}
.heed .tone{stop-color:#8ccbff}.heed .token{fill:#d5dce6}
.heed .title{fill:#f2f5f9}.heed .quiet{fill:#93a0b0}
.heed .moved{stroke:#ff9f5a}
}
)";

struct Panel {
  const AlignmentView* view = nullptr;
  double cell = 0;
  double font = 0;
  bool rotated = false;
  double left = 0;  // width of the target labels
  double top = 0;   // height of title and source labels
  double width = 0;
  double height = 0;
  double x = 0;
  double y = 0;
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

Panel Measure(const AlignmentView& view) {
  CheckAlignment(view);
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
  panel.top = source_height + 8 + (titled ? kTitleHeight : 0);
  // The last source labels lean over the right edge.
  double right = panel.cell * static_cast<double>(view.source_size());
  for (int64_t s = 0; panel.rotated && s < view.source_size(); ++s) {
    const double leaning = TextWidth(Label(view.source_tokens[s]), panel.font) *
                           std::cos(kAngle * kRadians);
    right = std::max(right,
                     panel.cell * (static_cast<double>(s) + 0.6) + leaning + 6);
  }
  const double title_width = TextWidth(TitleOf(view), kTitleFont);
  panel.width = std::max(panel.left + right, titled ? title_width : 0.0);
  panel.height =
      panel.top + panel.cell * static_cast<double>(view.target_size());
  return panel;
}

// Places the panels from left to right in rows; returns {width, height} used.
std::pair<double, double> Arrange(std::vector<Panel>* panels) {
  double x = 0, y = 0, row_height = 0, widest = 0;
  for (Panel& panel : *panels) {
    if (x > 0 && x + panel.width > kPageWidth) {
      x = 0;
      y += row_height + kGap;
      row_height = 0;
    }
    panel.x = x;
    panel.y = y;
    widest = std::max(widest, x + panel.width);
    x += panel.width + kGap;
    row_height = std::max(row_height, panel.height);
  }
  return {widest, y + row_height};
}

class Writer {
 public:
  explicit Writer(const AlignmentSvgOptions& options) : options_(options) {}

  std::string Document(std::vector<Panel> panels) {
    const auto [inner_width, inner_height] = Arrange(&panels);
    const double margin = options_.embedded ? 2 : kMargin;
    const double legend = options_.embedded ? 0 : kLegendHeight;
    const double width = std::max(inner_width, kLegendWidth) + 2 * margin;
    const double height = inner_height + legend + 2 * margin;
    svg_.Line(
        "<svg xmlns='http://www.w3.org/2000/svg' class='heed' width='{0:.0f}' "
        "height='{1:.0f}' viewBox='0 0 {0:.0f} {1:.0f}' role='img' "
        "aria-label='Attention weights'>",
        width, height);
    if (!options_.embedded) {
      svg_.Line("<style>\n{}</style>", AlignmentSvgStyle());
      svg_.Line("<rect class='paper' width='100%' height='100%'/>");
    }
    for (Panel& panel : panels) {
      panel.x += margin;
      panel.y += margin;
      DrawPanel(panel);
    }
    if (!options_.embedded) DrawLegend(margin, margin + inner_height + 30);
    svg_.Line("</svg>");
    return svg_.Take();
  }

 private:
  void DrawPanel(const Panel& panel) {
    svg_.Line("<g transform='translate({:.1f} {:.1f})'>", panel.x, panel.y);
    if (!panel.view->title.empty()) {
      svg_.Line("<text class='title' y='14' font-size='{}'>{}</text>",
                kTitleFont, EscapeMarkup(TitleOf(*panel.view)));
    }
    svg_.Line(
        "<g class='matrix' data-cell='{}' font-size='{:.1f}' "
        "transform='translate({:.1f} {:.1f})'>",
        panel.cell, panel.font, panel.left, panel.top);
    DrawSourceLabels(panel);
    DrawTargetLabels(panel);
    if (!panel.view->weights.empty()) DrawCells(panel);
    if (options_.outline_off_diagonal) DrawMoved(panel);
    svg_.Line("</g>\n</g>");
  }

  void DrawSourceLabels(const Panel& panel) {
    double x = panel.cell / 2;
    for (const std::string& token : panel.view->source_tokens) {
      const std::string label = EscapeMarkup(Label(token));
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
          y, EscapeMarkup(Label(token)));
      y += panel.cell;
    }
  }

  void DrawCells(const Panel& panel) {
    const AlignmentView& view = *panel.view;
    const double cell = panel.cell;
    svg_.Line("<rect class='field' width='{}' height='{}'/>",
              cell * static_cast<double>(view.source_size()),
              cell * static_cast<double>(view.target_size()));
    for (int64_t t = 0; t < view.target_size(); ++t) {
      for (int64_t s = 0; s < view.source_size(); ++s) {
        const float weight = view.weight(t, s);
        if (weight < kFaintest) continue;
        svg_.Line(
            "<rect class='cell' x='{}' y='{}' width='{}' height='{}' "
            "fill-opacity='{:.2f}'><title>{} ← {}: {:.2f}</title></rect>",
            cell * static_cast<double>(s), cell * static_cast<double>(t), cell,
            cell, weight, EscapeMarkup(Label(view.target_tokens[t])),
            EscapeMarkup(Label(view.source_tokens[s])), weight);
      }
    }
    DrawGrid(panel);
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

  void DrawMoved(const Panel& panel) {
    const AlignmentView& view = *panel.view;
    const std::vector<int64_t> links = HardAlignment(view);
    const double slope = static_cast<double>(view.source_size()) /
                         static_cast<double>(std::max<size_t>(links.size(), 1));
    for (size_t t = 0; t < links.size(); ++t) {
      const double diagonal = (static_cast<double>(t) + 0.5) * slope - 0.5;
      const auto source = static_cast<double>(links[t]);
      if (links[t] < 0 || std::abs(source - diagonal) <= 1.0) continue;
      svg_.Line(
          "<rect class='moved' pointer-events='none' x='{}' y='{}' width='{}' "
          "height='{}' rx='3'/>",
          panel.cell * source + 1, panel.cell * static_cast<double>(t) + 1,
          panel.cell - 2, panel.cell - 2);
    }
  }

  void DrawLegend(double x, double y) {
    svg_.Line("<g transform='translate({:.1f} {:.1f})' font-size='11'>", x, y);
    svg_.Line(
        "<linearGradient id='heed-scale'><stop class='tone' offset='0' "
        "stop-opacity='0'/><stop class='tone' offset='1'/></linearGradient>");
    svg_.Line(
        "<rect class='field' width='{0}' height='10' rx='2'/>"
        "<rect width='{0}' height='10' rx='2' fill='url(#heed-scale)'/>",
        kLegendWidth);
    svg_.Line(
        "<text class='quiet' y='25'>0</text>"
        "<text class='quiet' x='{}' y='25' text-anchor='middle'>"
        "attention weight</text>"
        "<text class='quiet' x='{}' y='25' text-anchor='end'>1</text>",
        kLegendWidth / 2, kLegendWidth);
    svg_.Line("</g>");
  }

  const AlignmentSvgOptions& options_;
  MarkupWriter svg_;
};

}  // namespace

std::string AlignmentSvg(std::span<const AlignmentView> views,
                         const AlignmentSvgOptions& options) {
  std::vector<Panel> panels;
  for (const AlignmentView& view : views) panels.push_back(Measure(view));
  return Writer(options).Document(std::move(panels));
}

std::string AlignmentSvgStyle() {
  return fmt::format(".heed{{font-family:{}}}\n{}", kFontFamily, kColours);
}

}  // namespace heed
