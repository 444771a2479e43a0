#include "heed/explain/panels_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/explain/markup.h"
#include "heed/explain/text_layout.h"

namespace heed {
namespace {

constexpr double kNumberWidth = 40;
constexpr double kNumberHeight = 22;
constexpr double kPlainCell = 14;
constexpr double kPanelNumberFont = 10.5;
constexpr double kPanelFont = 12;
constexpr double kArrowWidth = 92;
constexpr size_t kMostNumbers = 16;  // keys that have numbers
constexpr size_t kMostFeatures = 8;
constexpr int kPanelLabelColumns = 14;
constexpr int kPanelAngle = 52;
constexpr double kPanelTitleHeight = 22;

using Rows = std::vector<std::vector<float>>;

std::string PanelLabel(const std::string& token) {
  return Ellipsize(VisibleToken(token), kPanelLabelColumns);
}

double WidestPanelLabel(std::span<const std::string> tokens) {
  double widest = 0;
  for (const std::string& token : tokens) {
    widest = std::max(widest, TextWidth(PanelLabel(token), kPanelFont));
  }
  return widest;
}

double LargestOf(const Rows& rows) {
  double largest = 0;
  for (const auto& row : rows) {
    for (float v : row) {
      if (std::isfinite(v)) largest = std::max(largest, std::abs(double{v}));
    }
  }
  return largest;
}

std::string NumberOf(float value) {
  if (!std::isfinite(value)) return "–";
  const std::string text = std::abs(value) < 1000
                               ? fmt::format("{:.2f}", value)
                               : fmt::format("{:.1e}", value);
  return text == "-0.00" ? "0.00" : text;
}

// The first features, with a note of how many there are.
Rows FirstFeatures(const Rows& rows) {
  Rows first;
  for (const auto& row : rows) {
    first.emplace_back(row.begin(),
                       row.begin() + static_cast<std::ptrdiff_t>(
                                         std::min(row.size(), kMostFeatures)));
  }
  return first;
}

void CheckRows(const Rows& rows, size_t count, size_t size, const char* name,
               const AttentionPanels& panels) {
  const bool fits = rows.size() == count &&
                    std::ranges::all_of(
                        rows, [&](const auto& r) { return r.size() == size; });
  if (fits) return;
  throw ShapeError(fmt::format("panels: {}, head {}: {} should be {}×{}",
                               panels.layer, panels.head, name, count, size));
}

// Whether weights = softmax(scores), which other normalisers do not give.
bool IsSoftmax(const AttentionPanels& panels) {
  for (size_t t = 0; t < panels.scores.size(); ++t) {
    const auto& scores = panels.scores[t];
    if (scores.empty()) continue;
    const double highest = std::ranges::max(scores);
    if (!std::isfinite(highest)) continue;  // a row that may look at nothing
    double sum = 0;
    for (float e : scores) sum += std::exp(e - highest);
    for (size_t s = 0; s < scores.size(); ++s) {
      const double expected = std::exp(scores[s] - highest) / sum;
      if (std::abs(expected - panels.weights[t][s]) > 2e-3) return false;
    }
  }
  return true;
}

// The weights, with −∞ where masked scores leave none.
Rows MaskedWeights(const AttentionPanels& panels) {
  Rows weights = panels.weights;
  for (size_t t = 0; t < weights.size(); ++t) {
    for (size_t s = 0; s < weights[t].size(); ++s) {
      if (weights[t][s] == 0 && !std::isfinite(panels.scores[t][s])) {
        weights[t][s] = panels.scores[t][s];
      }
    }
  }
  return weights;
}

// What the scores are of queries and keys, if it is one of the usual forms.
std::string FormulaOf(const AttentionPanels& panels) {
  if (panels.query.empty() || panels.key.empty()) return "";
  const size_t size = panels.query[0].size();
  bool dot = true;
  bool scaled = true;
  for (size_t t = 0; t < panels.scores.size(); ++t) {
    for (size_t s = 0; s < panels.scores[t].size(); ++s) {
      const double score = panels.scores[t][s];
      if (!std::isfinite(score)) continue;
      const double product =
          std::inner_product(panels.query[t].begin(), panels.query[t].end(),
                             panels.key[s].begin(), 0.0);
      const double tolerance = 1e-2 + 1e-2 * std::abs(score);
      const double shrunk = product / std::sqrt(static_cast<double>(size));
      dot = dot && std::abs(product - score) <= tolerance;
      scaled = scaled && std::abs(shrunk - score) <= tolerance;
    }
  }
  if (scaled) return fmt::format(" = Q Kᵀ / √{}", size);
  return dot ? " = Q Kᵀ" : "";
}

// A matrix with a number or a shade in each cell, its top left cell at (0, 0).
struct NumberMatrix {
  const Rows& values;
  double scale = 1;  // the value of the darkest cell
  bool numbers = true;

  double cell_width() const { return numbers ? kNumberWidth : kPlainCell; }
  double cell_height() const { return numbers ? kNumberHeight : kPlainCell; }

  void Add(MarkupWriter* svg) const {
    for (size_t r = 0; r < values.size(); ++r) {
      for (size_t c = 0; c < values[r].size(); ++c) {
        AddCell(values[r][c], cell_width() * static_cast<double>(c),
                cell_height() * static_cast<double>(r), svg);
      }
    }
  }

  void AddCell(float value, double x, double y, MarkupWriter* svg) const {
    const double width = cell_width() - 1;
    const double height = cell_height() - 1;
    svg->Line("<rect class='field' x='{}' y='{}' width='{}' height='{}'/>", x,
              y, width, height);
    if (!std::isfinite(value)) {
      svg->Line("<path class='hatch' d='M{} {}l{} -{}M{} {}l{} -{}'/>", x,
                y + height, height, height, x + width - height, y + height,
                height, height);
      return;
    }
    const double shade = scale > 0 ? std::min(std::abs(value) / scale, 1.0) : 0;
    if (shade >= 0.005) {
      svg->Line(
          "<rect class='{}' x='{}' y='{}' width='{}' height='{}' "
          "fill-opacity='{:.2f}'><title>{:.4g}</title></rect>",
          value < 0 ? "minus" : "cell", x, y, width, height, shade, value);
    }
    if (!numbers) return;
    svg->Line(
        "<text class='{}' x='{}' y='{}' font-size='{}' text-anchor='middle' "
        "pointer-events='none'>{}</text>",
        shade > 0.6 ? "on" : "token", x + width / 2, y + height / 2 + 3.8,
        kPanelNumberFont, NumberOf(value));
  }
};

class PanelsWriter {
 public:
  PanelsWriter(const Explanation& explanation, const AttentionPanels& panels)
      : panels_(panels),
        keys_(panels.value.size()),
        numbers_(keys_ <= kMostNumbers),
        features_(panels.value.empty() ? 0 : panels.value[0].size()),
        value_(FirstFeatures(panels.value)),
        context_(FirstFeatures(panels.context)) {
    NameTokens(explanation);
  }

  Drawing Draw() {
    const Rows weights = MaskedWeights(panels_);
    const NumberMatrix scores = {panels_.scores, LargestOf(panels_.scores),
                                 numbers_};
    const NumberMatrix shares = {weights, 1.0, numbers_};
    const double scale = std::max(LargestOf(value_), LargestOf(context_));
    const NumberMatrix values = {value_, scale, true};
    const NumberMatrix context = {
        context_,
        scale,
        true,
    };
    const double key_labels = WidestPanelLabel(key_tokens_);
    const double label_height =
        key_labels * std::sin(kPanelAngle * 3.14159265358979 / 180) + 14;
    const double matrix_width =
        scores.cell_width() * static_cast<double>(keys_);
    const double left = WidestPanelLabel(query_tokens_) + 8;
    const double values_height =
        kNumberHeight * static_cast<double>(keys_) + kPanelTitleHeight + 34;
    const double top = std::max(values_height, label_height + 70);
    const double weights_x = left + matrix_width + kArrowWidth;
    const double sum_width = numbers_ ? kNumberWidth : kNumberWidth + 6;
    const double context_x = weights_x + matrix_width + sum_width + kArrowWidth;
    const double row_height = scores.cell_height();
    const double rows_height = row_height * static_cast<double>(weights.size());

    AddText(0, 16, "title", 15,
            fmt::format("{}, head {}", panels_.layer, panels_.head));
    AddText(0, 36, "quiet", 12, Notes());
    AddQueries(left - 8, top, row_height);
    AddMatrix(scores, left, top, label_height, "scores" + FormulaOf(panels_));
    AddArrow(left + matrix_width, top + rows_height / 2,
             IsSoftmax(panels_) ? "softmax" : "normalise");
    AddMatrix(shares, weights_x, top, label_height, "weights");
    AddSums(weights_x + matrix_width, top, row_height);
    AddArrow(weights_x + matrix_width + sum_width, top + rows_height / 2,
             "· V");
    const double values_top = top - values_height + kPanelTitleHeight;
    AddValues(values, context_x, values_top);
    AddContext(context, context_x, top, row_height);
    const double features_width =
        kNumberWidth * static_cast<double>(std::min(features_, kMostFeatures));
    const double width = context_x + std::max(features_width + 24, 120.0);
    const double values_end =
        values_top + kNumberHeight * static_cast<double>(keys_);
    return {width, std::max(top + rows_height, values_end) + 4, svg_.Take()};
  }

 private:
  void NameTokens(const Explanation& explanation) {
    const auto layer = std::ranges::find(explanation.layers, panels_.layer,
                                         &LayerAttention::layer);
    if (layer != explanation.layers.end()) {
      query_tokens_ = explanation.tokens(layer->queries);
      key_tokens_ = explanation.tokens(layer->keys);
    }
    Complete(panels_.scores.size(), &query_tokens_);
    Complete(keys_, &key_tokens_);
  }

  // Positions stand for tokens that are not known.
  static void Complete(size_t size, std::vector<std::string>* tokens) {
    if (tokens->size() == size) return;
    tokens->clear();
    for (size_t i = 0; i < size; ++i) tokens->push_back(std::to_string(i));
  }

  std::string Notes() const {
    std::string notes = "a row of weights × a column of values = context";
    if (features_ > kMostFeatures) {
      notes += fmt::format(" · {} of {} features", kMostFeatures, features_);
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

  void AddToken(double x, double y, const std::string& token) {
    svg_.Line(
        "<text class='token' x='{:.1f}' y='{:.1f}' font-size='{}' "
        "text-anchor='end'>{}</text>",
        x, y, kPanelFont, MarkupToken(token, kPanelLabelColumns));
  }

  void AddQueries(double x, double top, double row_height) {
    double y = top + row_height / 2 + 4;
    for (const std::string& token : query_tokens_) {
      AddToken(x, y, token);
      y += row_height;
    }
  }

  void Begin(double x, double y) {
    svg_.Line("<g class='matrix' transform='translate({:.1f} {:.1f})'>", x, y);
  }

  void AddMatrix(const NumberMatrix& matrix, double x, double y,
                 double label_height, std::string_view title) {
    Begin(x, y);
    AddText(0, -label_height - 8, "title", 13, title);
    double middle = matrix.cell_width() / 2;
    for (const std::string& token : key_tokens_) {
      svg_.Line(
          "<text class='token' font-size='{}' transform='translate({:.1f} -6) "
          "rotate(-{})'>{}</text>",
          kPanelFont, middle + 3, kPanelAngle,
          MarkupToken(token, kPanelLabelColumns));
      middle += matrix.cell_width();
    }
    matrix.Add(&svg_);
    svg_.Line("</g>");
  }

  void AddSums(double x, double top, double row_height) {
    AddText(x + kNumberWidth / 2, top - 8, "quiet", kPanelFont, "Σ", "middle");
    double y = top + row_height / 2 + 3.5;
    for (const auto& row : panels_.weights) {
      const double sum = std::accumulate(row.begin(), row.end(), 0.0);
      AddText(x + kNumberWidth / 2, y, "quiet", kPanelNumberFont,
              fmt::format("{:.2f}", sum), "middle");
      y += row_height;
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

  void AddValues(const NumberMatrix& values, double x, double y) {
    Begin(x, y);
    AddText(0, -10, "title", 13, "values V");
    double middle = kNumberHeight / 2 + 4;
    for (const std::string& token : key_tokens_) {
      AddToken(-8, middle, token);
      middle += kNumberHeight;
    }
    values.Add(&svg_);
    AddMore(kNumberHeight * static_cast<double>(keys_) / 2);
    svg_.Line("</g>");
  }

  void AddContext(const NumberMatrix& context, double x, double y,
                  double row_height) {
    Begin(x, y);
    AddText(0, -10, "title", 13, "context");
    for (size_t r = 0; r < context.values.size(); ++r) {
      for (size_t c = 0; c < context.values[r].size(); ++c) {
        NumberMatrix cell = context;
        cell.AddCell(context.values[r][c],
                     kNumberWidth * static_cast<double>(c),
                     row_height * static_cast<double>(r), &svg_);
      }
    }
    AddMore(row_height * static_cast<double>(context.values.size()) / 2);
    svg_.Line("</g>");
  }

  // … where features were left out.
  void AddMore(double y) {
    if (features_ <= kMostFeatures) return;
    AddText(kNumberWidth * static_cast<double>(kMostFeatures) + 6, y + 4,
            "quiet", 14, "…");
  }

  const AttentionPanels& panels_;
  const size_t keys_;
  const bool numbers_;
  const size_t features_;
  const Rows value_;
  const Rows context_;
  std::vector<std::string> query_tokens_;
  std::vector<std::string> key_tokens_;
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

}  // namespace

Drawing DrawPanels(const Explanation& explanation,
                   const AttentionPanels& panels) {
  CheckPanels(panels);
  return PanelsWriter(explanation, panels).Draw();
}

}  // namespace heed
