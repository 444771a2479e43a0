#include "heed/render/explanation_terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/render/cells.h"
#include "heed/render/heatmap_terminal.h"
#include "heed/render/layer_groups.h"
#include "heed/render/panels_svg.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/shadings.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr int64_t kTileLeast = 14;  // columns; holds the numbers below
constexpr int64_t kTileMost = 24;
constexpr int kTileSpace = 2;
constexpr int kTerminalLabel = 14;
constexpr int kNumberColumns = 8;

std::string Strong(const TerminalOptions& terminal, const std::string& text) {
  return terminal.colour ? terminal::Bold(text) : text;
}

std::string Quiet(const TerminalOptions& terminal, const std::string& text) {
  return terminal.colour ? terminal::Dim(text) : text;
}

std::span<const float> WeightsOf(const AlignmentView& view, int64_t target) {
  return std::span(view.weights)
      .subspan(static_cast<size_t>(target * view.source_size()),
               view.source_tokens.size());
}

// --- heads -------------------------------------------------------------------

// A matrix made small: each cell the largest of those it stands for.
struct Tile {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<float> cells;

  float at(int64_t row, int64_t column) const {
    return row < rows ? cells[static_cast<size_t>(row * columns + column)] : 0;
  }
};

Tile Shrink(std::span<const float> weights, int64_t rows, int64_t columns,
            int64_t most) {
  Tile tile{std::min(rows, most), std::min(columns, most), {}};
  tile.cells.resize(static_cast<size_t>(tile.rows * tile.columns));
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t s = 0; s < columns; ++s) {
      float& cell = tile.cells[static_cast<size_t>(
          t * tile.rows / rows * tile.columns + s * tile.columns / columns)];
      cell = std::max(cell, weights[static_cast<size_t>(t * columns + s)]);
    }
  }
  return tile;
}

// The lines of one head: its tile and the numbers below, `slot` columns wide.
std::vector<std::string> HeadLines(const LayerAttention& layer, int64_t head,
                                   const HeadStatistics& statistics,
                                   int64_t most, int slot, bool colour) {
  const Tile tile =
      Shrink(layer.OfHead(head), layer.query_size, layer.key_size, most);
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
  const int digits = layer.queries == layer.keys ? 1 : 2;
  lines.push_back(
      Pad(fmt::format("{} {:.2f} ↔{:.{}f}", head, statistics.entropy,
                      statistics.distance, digits),
          slot));
  return lines;
}

std::string LayerTiles(const LayerAttention& layer,
                       const TerminalOptions& terminal) {
  const int64_t heads = std::max<int64_t>(layer.heads, 1);
  const int64_t most =
      std::clamp(terminal.width / heads - kTileSpace, kTileLeast, kTileMost);
  const int slot =
      static_cast<int>(std::max(kTileLeast, std::min(most, layer.key_size)));
  const int64_t fitting =
      std::max((terminal.width + kTileSpace) / (slot + kTileSpace), 1);
  const auto statistics = StatisticsOf(layer);
  std::string out;
  for (int64_t begin = 0; begin < layer.heads; begin += fitting) {
    std::vector<std::string> lines;
    for (int64_t h = begin; h < std::min(begin + fitting, layer.heads); ++h) {
      const auto tile = HeadLines(layer, h, statistics[static_cast<size_t>(h)],
                                  most, slot, terminal.colour);
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

std::string HeadsText(const Explanation& explanation,
                      const TerminalOptions& terminal) {
  std::string out;
  for (const LayerGroup& group : GroupsOf(explanation)) {
    out += Strong(terminal, group.title) + '\n';
    for (size_t index : group.layers) {
      const LayerAttention& layer = explanation.layers[index];
      out += Quiet(terminal, Ellipsize(layer.layer, terminal.width)) + '\n';
      out += LayerTiles(layer, terminal);
    }
    out += '\n';
  }
  return out +
         Quiet(terminal,
               "head, entropy in bits, ↔ mean distance; rows are queries\n");
}

// --- frames, lines, saliency -------------------------------------------------

std::string FramesText(const AlignmentView& view,
                       const TerminalOptions& terminal) {
  std::string out;
  std::string said;
  for (int64_t t = 0; t < view.target_size(); ++t) {
    const std::string token =
        VisibleToken(view.target_tokens[static_cast<size_t>(t)]);
    out += Quiet(terminal,
                 fmt::format("{} / {}  {}", t + 1, view.target_size(), said)) +
           Strong(terminal, token) + '\n';
    out += TerminalWords(view.source_tokens, WeightsOf(view, t), 2, terminal);
    said += token + ' ';
  }
  return out;
}

std::string LinesText(const AlignmentView& view) {
  int widest = 1;
  for (const std::string& token : view.target_tokens) {
    widest = std::max(widest, DisplayWidth(VisibleToken(token)));
  }
  widest = std::min(widest, 2 * kTerminalLabel);
  std::string out;
  for (int64_t t = 0; t < view.target_size(); ++t) {
    const std::string& token = view.target_tokens[static_cast<size_t>(t)];
    out += fmt::format("{} ← {}\n",
                       Pad(VisibleToken(token), widest, Align::kRight),
                       StrongestOf(WeightsOf(view, t), view.source_tokens, 4));
  }
  return out;
}

std::string SaliencyText(const Explanation& explanation,
                         const TerminalOptions& terminal) {
  const std::vector<Shading> shadings = ShadingsOf(explanation);
  const size_t sources = explanation.source.size();
  std::string out;
  for (size_t t = 0; t < explanation.target.size(); ++t) {
    out += Strong(terminal,
                  fmt::format("→ {}", VisibleToken(explanation.target[t])));
    out += '\n';
    for (const Shading& shading : shadings) {
      out += fmt::format("  {}\n", Quiet(terminal, shading.title));
      out += TerminalWords(
          explanation.source,
          std::span(shading.values).subspan(t * sources, sources), 4, terminal);
    }
  }
  for (const Shading& shading : shadings) {
    if (shading.caption.empty()) continue;
    out +=
        Quiet(terminal, fmt::format("{}: {}", shading.title, shading.caption)) +
        '\n';
  }
  return out;
}

// --- panels ------------------------------------------------------------------

std::string NumbersText(const std::string& title,
                        const std::vector<std::vector<float>>& rows,
                        std::span<const std::string> columns,
                        std::span<const std::string> labels,
                        const TerminalOptions& terminal) {
  const size_t size = rows.empty() ? 0 : rows[0].size();
  const auto fitting = static_cast<size_t>(
      std::max((terminal.width - kTerminalLabel - 2) / kNumberColumns, 1));
  const size_t shown = std::min(size, fitting);
  const std::string more = shown < size ? " …" : "";
  std::string out = Strong(terminal, title);
  if (shown < size) out += fmt::format(" ({} of {} columns)", shown, size);
  out += '\n';
  if (!columns.empty()) {
    out += std::string(kTerminalLabel, ' ');
    for (size_t c = 0; c < shown; ++c) {
      out += fmt::format(" {}", Pad(VisibleToken(columns[c]),
                                    kNumberColumns - 1, Align::kRight));
    }
    out += '\n';
  }
  for (size_t r = 0; r < rows.size(); ++r) {
    out += Pad(VisibleToken(labels[r]), kTerminalLabel, Align::kRight);
    for (size_t c = 0; c < shown; ++c) {
      out += std::isfinite(rows[r][c])
                 ? fmt::format("{:>{}.2f}", rows[r][c], kNumberColumns)
                 : Pad("–", kNumberColumns, Align::kRight);
    }
    out += more + '\n';
  }
  return out;
}

std::string PanelsText(const Explanation& explanation,
                       const TerminalOptions& terminal) {
  std::string out;
  for (const AttentionPanels& p : explanation.panels) {
    const PanelTokens tokens = TokensOf(explanation, p);
    out += Strong(terminal, fmt::format("{}, head {}", p.layer, p.head)) + '\n';
    out +=
        NumbersText("scores", p.scores, tokens.keys, tokens.queries, terminal);
    out += NumbersText("weights", p.weights, tokens.keys, tokens.queries,
                       terminal);
    out += NumbersText("values", p.value, {}, tokens.keys, terminal);
    out += NumbersText("context", p.context, {}, tokens.queries, terminal);
  }
  return out;
}

}  // namespace

std::string TerminalExplanation(const Explanation& explanation,
                                const ExplanationFileOptions& options,
                                const TerminalOptions& terminal) {
  CheckViewExists(explanation, options);
  switch (options.view) {
    case ExplanationView::kHeads:
      return HeadsText(explanation, terminal);
    case ExplanationView::kAlignment:
      return TerminalHeatmap(ShownAttention(explanation, options), terminal);
    case ExplanationView::kFrames:
      return FramesText(ShownAttention(explanation, options), terminal);
    case ExplanationView::kLines:
      return LinesText(ShownAttention(explanation, options));
    case ExplanationView::kPanels:
      return PanelsText(explanation, terminal);
    case ExplanationView::kSaliency:
      return SaliencyText(explanation, terminal);
  }
  throw ConfigError("explanation: unknown view");
}

}  // namespace heed
