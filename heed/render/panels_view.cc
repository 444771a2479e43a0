#include "heed/render/panels_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/render/markup.h"
#include "heed/render/number_matrix.h"
#include "heed/render/text_layout.h"
#include "heed/render/token_names.h"

namespace heed {
namespace {

constexpr double kNumberWidth = NumberMatrix().cell_width;
constexpr double kNumberHeight = NumberMatrix().cell_height;
constexpr double kPlainCell = 14;
constexpr double kSumFont = 10.5;
constexpr NameStyle kPanelNames = {.font = 12, .columns = 14};
constexpr double kArrowWidth = 92;
constexpr size_t kMaxNumbers = 16;  // keys with numbers
constexpr size_t kMaxFeatures = 8;
constexpr double kPanelTitleHeight = 22;

// The first features of each row.
NumberRows FirstFeatures(const NumberRows& rows) {
  NumberRows first;
  for (const auto& row : rows) {
    first.emplace_back(row.begin(),
                       row.begin() + static_cast<std::ptrdiff_t>(
                                         std::min(row.size(), kMaxFeatures)));
  }
  return first;
}

void CheckRows(const NumberRows& rows, size_t count, size_t size,
               const char* name, const AttentionPanels& panels) {
  const bool fits = rows.size() == count &&
                    std::ranges::all_of(
                        rows, [&](const auto& r) { return r.size() == size; });
  if (fits) return;
  throw ShapeError("panels of head {}: {} should be {}×{}", panels.head, name,
                   count, size);
}

// Weights, with −∞ at masked scores.
NumberRows MaskedWeights(const AttentionPanels& panels) {
  NumberRows weights = panels.weights;
  for (size_t t = 0; t < weights.size(); ++t) {
    for (size_t s = 0; s < weights[t].size(); ++s) {
      if (weights[t][s] == 0 && !std::isfinite(panels.scores[t][s])) {
        weights[t][s] = panels.scores[t][s];
      }
    }
  }
  return weights;
}

// Formula of the scores from queries and keys, for unmodified dot products;
// else "".
std::string FormulaOf(const AttentionMap& map, const AttentionPanels& panels) {
  if (panels.query.empty() || !map.modifiers.empty()) return "";
  if (map.score == "scaled_dot") {
    return fmt::format(" = Q Kᵀ / √{}", panels.query[0].size());
  }
  return map.score == "dot" ? " = Q Kᵀ" : "";
}

// Numbers tokens by position if their names are unknown.
void Complete(size_t size, std::vector<std::string>* tokens) {
  if (tokens->size() == size) return;
  tokens->clear();
  for (size_t i = 0; i < size; ++i) tokens->push_back(std::to_string(i));
}

class PanelsWriter {
 public:
  PanelsWriter(const ExplanationSegment& segment, const AttentionPanels& panels)
      : panels_(panels),
        map_(panels.map < segment.maps.size() ? segment.maps[panels.map]
                                              : AttentionMap()),
        keys_(panels.value.size()),
        numbers_(keys_ <= kMaxNumbers),
        features_(panels.value.empty() ? 0 : panels.value[0].size()),
        value_(FirstFeatures(panels.value)),
        context_(FirstFeatures(panels.context)),
        tokens_(TokensOf(segment, panels)) {}

  Drawing Draw() {
    const Layout at = Measure();
    const NumberRows weights = MaskedWeights(panels_);
    const double scale = std::max(LargestOf(value_), LargestOf(context_));
    const double middle = at.top + at.rows_height / 2;
    AddText(0, 16, "title", 15,
            fmt::format("{}, head {}", map_.name, panels_.head));
    AddText(0, 36, "quiet", 12, Notes());
    svg_.Line("<g transform='translate(0 {:.1f})'>", at.top);
    AddRowNames(tokens_.queries, at.scores - 8, at.row, kPanelNames, &svg_);
    svg_.Line("</g>");
    AddMatrix(LargestOf(panels_.scores), panels_.scores, at.scores, at,
              "scores" + FormulaOf(map_, panels_));
    AddArrow(at.scores + at.matrix_width, middle,
             map_.normalizer.empty() ? "normalise" : map_.normalizer);
    AddMatrix(1.0, weights, at.weights, at, "weights");
    AddSums(at.sums, at);
    AddArrow(at.sums + kNumberWidth, middle, "· V");
    AddValues(scale, at.context, at.values_top);
    AddContext(scale, at.context, at);
    const double features_width =
        kNumberWidth * static_cast<double>(std::min(features_, kMaxFeatures));
    return {at.context + std::max(features_width + 24, 120.0),
            at.top + at.rows_height + 4, svg_.Take()};
  }

 private:
  // Positions: x of columns, y of rows.
  struct Layout {
    double cell = 0;  // width of a score
    double row = 0;   // height of a row
    double matrix_width = 0;
    double rows_height = 0;
    double label_height = 0;  // of keys above a matrix
    double scores = 0;
    double weights = 0;
    double sums = 0;
    double context = 0;
    double values_top = 0;
    double top = 0;
  };

  Layout Measure() const {
    const auto keys = static_cast<double>(keys_);
    Layout at;
    at.cell = numbers_ ? kNumberWidth : kPlainCell;
    at.row = numbers_ ? kNumberHeight : kPlainCell;
    at.matrix_width = at.cell * keys;
    at.rows_height = at.row * static_cast<double>(panels_.weights.size());
    at.label_height =
        LeaningHeight(WidestToken(tokens_.keys, kPanelNames)) + 14;
    at.scores = WidestToken(tokens_.queries, kPanelNames) + 8;
    at.weights = at.scores + at.matrix_width + kArrowWidth;
    at.sums = at.weights + at.matrix_width;
    at.context = at.sums + kNumberWidth + kArrowWidth;
    const double values_height = kNumberHeight * keys + kPanelTitleHeight + 34;
    at.top = std::max(values_height, at.label_height + 70);
    at.values_top = at.top - values_height + kPanelTitleHeight;
    return at;
  }

  std::string Notes() const {
    std::string notes = "a row of weights × a column of values = context";
    if (features_ > kMaxFeatures) {
      notes += fmt::format(" · {} of {} features", kMaxFeatures, features_);
    }
    const bool masked = std::ranges::any_of(panels_.scores, [](const auto& r) {
      return std::ranges::any_of(r, [](float e) { return !std::isfinite(e); });
    });
    return masked ? notes + " · hatched: masked" : notes;
  }

  void AddText(double x, double y, std::string_view style, double font,
               std::string_view text, std::string_view anchor = "start") {
    svg_.Line(
        "<text class='{}' x='{:.1f}' y='{:.1f}' font-size='{}' "
        "text-anchor='{}'>{}</text>",
        style, x, y, font, anchor, EscapeMarkup(text));
  }

  void Begin(double x, double y) {
    svg_.Line("<g class='matrix' transform='translate({:.1f} {:.1f})'>", x, y);
  }

  void AddMatrix(double scale, const NumberRows& rows, double x,
                 const Layout& at, std::string_view title) {
    Begin(x, at.top);
    AddText(0, -at.label_height - 8, "title", 13, title);
    AddColumnNames(tokens_.keys, at.cell, true, kPanelNames, &svg_);
    const NumberMatrix matrix = {scale, numbers_, at.cell, at.row};
    matrix.Add(rows, &svg_);
    svg_.Line("</g>");
  }

  void AddSums(double x, const Layout& at) {
    const double center = x + kNumberWidth / 2;
    AddText(center, at.top - 8, "quiet", kPanelNames.font, "Σ", "middle");
    double y = at.top + at.row / 2 + 3.5;
    for (const auto& row : panels_.weights) {
      const double sum = std::accumulate(row.begin(), row.end(), 0.0);
      AddText(center, y, "quiet", std::min(kSumFont, at.row * 0.65),
              fmt::format("{:.2f}", sum), "middle");
      y += at.row;
    }
  }

  void AddArrow(double x, double y, std::string_view text) {
    const double from = x + 12;
    const double to = x + kArrowWidth - 14;
    svg_.Line(
        "<path class='link' stroke-width='1.5' d='M{0:.1f} {1:.1f}H{2:.1f}m-6 "
        "-4l6 4l-6 4'/>",
        from, y, to);
    AddText((from + to) / 2, y - 9, "title", 13, text, "middle");
  }

  void AddValues(double scale, double x, double y) {
    Begin(x, y);
    AddText(0, -10, "title", 13, "values V");
    AddRowNames(tokens_.keys, -8, kNumberHeight, kPanelNames, &svg_);
    NumberMatrix{.scale = scale}.Add(value_, &svg_);
    AddMore(kNumberHeight * static_cast<double>(keys_) / 2);
    svg_.Line("</g>");
  }

  void AddContext(double scale, double x, const Layout& at) {
    Begin(x, at.top);
    AddText(0, -10, "title", 13, "context");
    NumberMatrix{.scale = scale, .cell_height = at.row}.Add(context_, &svg_);
    AddMore(at.row * static_cast<double>(context_.size()) / 2);
    svg_.Line("</g>");
  }

  // Draws … if features are omitted.
  void AddMore(double y) {
    if (features_ <= kMaxFeatures) return;
    AddText(kNumberWidth * static_cast<double>(kMaxFeatures) + 6, y + 4,
            "quiet", 14, "…");
  }

  const AttentionPanels& panels_;
  const AttentionMap map_;
  const size_t keys_;
  const bool numbers_;
  const size_t features_;
  const NumberRows value_;
  const NumberRows context_;
  const PanelTokens tokens_;
  MarkupWriter svg_;
};

void CheckPanels(const AttentionPanels& panels) {
  const size_t queries = panels.scores.size();
  const size_t keys = panels.value.size();
  const size_t features = panels.value.empty() ? 0 : panels.value[0].size();
  CheckRows(panels.scores, queries, keys, "scores", panels);
  CheckRows(panels.weights, queries, keys, "weights", panels);
  CheckRows(panels.value, keys, features, "value", panels);
  CheckRows(panels.context, queries, features, "context", panels);
  if (panels.query.empty() || panels.key.empty()) return;
  const size_t size = panels.query[0].size();
  CheckRows(panels.query, queries, size, "query", panels);
  CheckRows(panels.key, keys, size, "key", panels);
}

// --- terminal ---

constexpr int kTerminalLabel = 14;
constexpr int kNumberColumns = 8;

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
  std::string out = terminal::Strong(terminal, title);
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

std::string PanelsText(const ExplanationSegment& segment,
                       const TerminalOptions& terminal) {
  std::string out;
  for (const AttentionPanels& p : segment.panels) {
    const PanelTokens tokens = TokensOf(segment, p);
    out += terminal::Strong(
               terminal, fmt::format("{}, head {}", segment.maps.at(p.map).name,
                                     p.head)) +
           '\n';
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

PanelTokens TokensOf(const ExplanationSegment& segment,
                     const AttentionPanels& panels) {
  CheckPanels(panels);
  PanelTokens tokens;
  if (panels.map < segment.maps.size()) {
    tokens.queries = segment.axis(segment.maps[panels.map].query).shown();
    tokens.keys = segment.axis(segment.maps[panels.map].key).shown();
  }
  Complete(panels.scores.size(), &tokens.queries);
  Complete(panels.value.size(), &tokens.keys);
  return tokens;
}

Drawing DrawPanels(const ExplanationSegment& segment,
                   const AttentionPanels& panels) {
  return PanelsWriter(segment, panels).Draw();
}

ExplanationView PanelsView() {
  ExplanationView view;
  view.name = "panels";
  view.description = "scores, weights and context of one head in numbers";
  view.refusal = [](const ExplanationSegment& segment, const ViewOptions&) {
    return segment.panels.empty() ? std::string("choose a layer and a head")
                                  : std::string();
  };
  view.draw = [](const ExplanationSegment& segment, const ViewOptions&) {
    std::vector<Drawing> drawings;
    for (const AttentionPanels& panels : segment.panels) {
      drawings.push_back(DrawPanels(segment, panels));
    }
    return drawings;
  };
  view.text = [](const ExplanationSegment& segment, const ViewOptions&,
                 const TerminalOptions& terminal) {
    return PanelsText(segment, terminal);
  };
  view.of_numbers = true;
  view.legend = PictureLegend::kNone;
  return view;
}

}  // namespace heed
