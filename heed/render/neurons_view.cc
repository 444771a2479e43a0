#include "heed/render/neurons_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "heed/base/at.h"
#include "heed/render/markup.h"
#include "heed/render/number_matrix.h"
#include "heed/render/panels_view.h"
#include "heed/render/text_layout.h"
#include "heed/render/token_names.h"

namespace heed {
namespace {

constexpr int64_t kMostKeys = 48;
constexpr double kRow = 18;
constexpr double kFeature = 7;
constexpr double kGap = 28;
constexpr double kNumber = 64;
constexpr double kTop = 84;
constexpr NameStyle kNames = {.font = 12, .columns = 18};

int64_t QueryOf(const ExplanationSegment& segment,
                const AttentionPanels& panels, const ViewOptions& options) {
  const auto last = std::ssize(panels.query) - 1;
  if (options.step < 0) return last;
  const Target& target = At(segment.targets, options.step);
  return target.map == panels.map ? target.row : last;
}

std::string RefusalOf(const ExplanationSegment& segment,
                      const ViewOptions& options) {
  if (segment.panels.empty()) return "choose a layer and a head";
  for (const AttentionPanels& panels : segment.panels) {
    if (panels.query.empty() || panels.key.empty()) {
      return "the score of this attention is not made of queries and keys";
    }
    if (panels.query[0].size() != panels.key[0].size()) {
      return "queries and keys of this attention have different features";
    }
  }
  if (options.step >= std::ssize(segment.targets)) {
    return fmt::format("there are {} steps, the first is 0",
                       segment.targets.size());
  }
  return "";
}

std::string TitleOf(const ExplanationSegment& segment,
                    const AttentionPanels& panels, const PanelTokens& tokens,
                    const NeuronRows& rows) {
  return fmt::format("{}, head {}: the query of '{}'",
                     segment.maps.at(panels.map).name, panels.head,
                     VisibleToken(At(tokens.queries, rows.query)));
}

std::string NoteOf(const NeuronRows& rows) {
  std::string note = "a row of q ∘ k, summed and scaled, is the score";
  if (!rows.norms.empty()) {
    note += " · norm: length of the weighted value behind the output matrix";
  }
  if (rows.left_out > 0) {
    note +=
        fmt::format(" · {} keys with smaller weights left out", rows.left_out);
  }
  return note;
}

std::vector<std::string> NamesOf(const PanelTokens& tokens,
                                 const NeuronRows& rows) {
  std::vector<std::string> names;
  for (const int64_t key : rows.keys) names.push_back(At(tokens.keys, key));
  return names;
}

/// Draws the rows of one head.
class NeuronsWriter {
 public:
  NeuronsWriter(const ExplanationSegment& segment,
                const AttentionPanels& panels, const ViewOptions& options)
      : rows_(NeuronsOf(segment, panels, options)),
        tokens_(TokensOf(segment, panels)),
        names_(NamesOf(tokens_, rows_)),
        title_(TitleOf(segment, panels, tokens_, rows_)) {}

  Drawing Draw() {
    const double left = WidestToken(names_, kNames) + 10;
    const double features =
        kFeature * static_cast<double>(rows_.features.size());
    const double height = kRow * static_cast<double>(rows_.keys.size());
    AddText(0, 16, "title", 15, title_);
    AddText(0, 36, "quiet", 12, NoteOf(rows_));
    svg_.Line("<g transform='translate(0 {})'>", kTop);
    AddRowNames(names_, left - 8, kRow, kNames, &svg_);
    svg_.Line("</g>");
    const NumberRows query = {rows_.features};
    AddMatrix(query, left, kTop - kRow - 6, "query q", LargestOf(query));
    AddMatrix(rows_.key_features, left, kTop, "",
              LargestOf(rows_.key_features));
    AddText(left, kTop + height + 16, "quiet", 12, "keys k");
    const double products = left + features + kGap;
    AddMatrix(rows_.products, products, kTop, "q ∘ k",
              LargestOf(rows_.products));
    double x = products + features + kGap;
    AddNumbers(rows_.scores, x, "score");
    AddNumbers(rows_.weights, x += kNumber, "weight");
    if (!rows_.norms.empty()) AddNumbers(rows_.norms, x += kNumber, "norm");
    const double text =
        std::max(TextWidth(title_, 15), TextWidth(NoteOf(rows_), 12));
    return {std::max(x + kNumber, text), kTop + height + 24, svg_.Take()};
  }

 private:
  void AddText(double x, double y, std::string_view style, double font,
               std::string_view text, std::string_view anchor = "start") {
    svg_.Line(
        "<text class='{}' x='{:.1f}' y='{:.1f}' font-size='{}' "
        "text-anchor='{}'>{}</text>",
        style, x, y, font, anchor, EscapeMarkup(text));
  }
  void AddMatrix(const NumberRows& rows, double x, double y,
                 std::string_view title, double scale) {
    svg_.Line("<g class='matrix' transform='translate({:.1f} {:.1f})'>", x, y);
    if (!title.empty()) AddText(0, -6, "title", 12, title);
    NumberMatrix{.scale = scale,
                 .numbers = false,
                 .cell_width = kFeature,
                 .cell_height = kRow}
        .Add(rows, &svg_);
    svg_.Line("</g>");
  }
  void AddNumbers(const std::vector<float>& numbers, double x,
                  std::string_view title) {
    NumberRows rows;
    for (const float number : numbers) rows.push_back({number});
    svg_.Line("<g class='matrix' transform='translate({:.1f} {})'>", x, kTop);
    AddText(0, -6, "title", 12, title);
    NumberMatrix{.scale = LargestOf(rows),
                 .cell_width = kNumber - 8,
                 .cell_height = kRow}
        .Add(rows, &svg_);
    svg_.Line("</g>");
  }

  const NeuronRows rows_;
  const PanelTokens tokens_;
  const std::vector<std::string> names_;
  const std::string title_;
  MarkupWriter svg_;
};

/// The three features with the largest contributions: "5: +1.20".
std::string LargestProducts(std::span<const float> products) {
  std::vector<size_t> order(products.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const size_t count = std::min<size_t>(3, order.size());
  std::ranges::partial_sort(
      order, order.begin() + static_cast<std::ptrdiff_t>(count),
      std::ranges::greater(), [&](size_t i) { return std::abs(products[i]); });
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += fmt::format("{}{}: {:+.2f}", i == 0 ? "" : ", ", order[i],
                        products[order[i]]);
  }
  return text;
}

std::string NeuronsText(const ExplanationSegment& segment,
                        const AttentionPanels& panels,
                        const ViewOptions& options,
                        const TerminalOptions& terminal) {
  constexpr int kLabel = 14;
  const NeuronRows rows = NeuronsOf(segment, panels, options);
  const PanelTokens tokens = TokensOf(segment, panels);
  std::string out =
      terminal::Strong(terminal, TitleOf(segment, panels, tokens, rows)) + '\n';
  out += fmt::format("{}   score  weight{}  features with the largest q ∘ k\n",
                     std::string(kLabel, ' '),
                     rows.norms.empty() ? "" : "    norm");
  for (size_t i = 0; i < rows.keys.size(); ++i) {
    out +=
        Pad(VisibleToken(At(tokens.keys, rows.keys[i])), kLabel, Align::kRight);
    out += fmt::format(" {:7.2f} {:7.3f}", rows.scores[i], rows.weights[i]);
    if (!rows.norms.empty()) out += fmt::format(" {:7.3f}", rows.norms[i]);
    out += "  " + LargestProducts(rows.products[i]) + '\n';
  }
  if (rows.left_out > 0) {
    out +=
        fmt::format("{} keys with smaller weights left out\n", rows.left_out);
  }
  return out;
}

}  // namespace

NeuronRows NeuronsOf(const ExplanationSegment& segment,
                     const AttentionPanels& panels,
                     const ViewOptions& options) {
  NeuronRows rows;
  rows.query = QueryOf(segment, panels, options);
  rows.features = At(panels.query, rows.query);
  const std::vector<float>& scores = At(panels.scores, rows.query);
  const std::vector<float>& weights = At(panels.weights, rows.query);
  for (int64_t s = 0; s < std::ssize(scores); ++s) {
    if (std::isfinite(At(scores, s))) rows.keys.push_back(s);
  }
  if (std::ssize(rows.keys) > kMostKeys) {
    rows.left_out = std::ssize(rows.keys) - kMostKeys;
    std::ranges::stable_sort(rows.keys, std::ranges::greater(),
                             [&](int64_t s) { return At(weights, s); });
    rows.keys.resize(static_cast<size_t>(kMostKeys));
    std::ranges::sort(rows.keys);
  }
  for (const int64_t s : rows.keys) {
    const std::vector<float>& key = At(panels.key, s);
    std::vector<float> products = rows.features;
    for (size_t a = 0; a < products.size(); ++a) products[a] *= key[a];
    rows.key_features.push_back(key);
    rows.products.push_back(std::move(products));
    rows.scores.push_back(At(scores, s));
    rows.weights.push_back(At(weights, s));
    if (!panels.norms.empty()) {
      rows.norms.push_back(At(At(panels.norms, rows.query), s));
    }
  }
  return rows;
}

ExplanationView NeuronsView() {
  ExplanationView view;
  view.name = "neurons";
  view.description =
      "one query and its keys, feature by feature: q, k, q ∘ k, score, weight";
  view.refusal = RefusalOf;
  view.draw = [](const ExplanationSegment& segment,
                 const ViewOptions& options) {
    std::vector<Drawing> drawings;
    for (const AttentionPanels& panels : segment.panels) {
      drawings.push_back(NeuronsWriter(segment, panels, options).Draw());
    }
    return drawings;
  };
  view.text = [](const ExplanationSegment& segment, const ViewOptions& options,
                 const TerminalOptions& terminal) {
    std::string out;
    for (const AttentionPanels& panels : segment.panels) {
      out += NeuronsText(segment, panels, options, terminal);
    }
    return out;
  };
  view.of_numbers = true;
  view.legend = PictureLegend::kNone;
  return view;
}

}  // namespace heed
