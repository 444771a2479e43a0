#include "heed/render/token_names.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heed/render/cells.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kNameRadians = kNameAngle * std::numbers::pi / 180;

std::string MarkOf(const NameStyle& style, size_t item) {
  return style.axis.empty()
             ? ""
             : " " + ItemAttributes(style.axis, static_cast<int64_t>(item));
}

}  // namespace

std::string ShortToken(const std::string& token, const NameStyle& style) {
  return Ellipsize(VisibleToken(token), style.columns);
}

double WidestToken(std::span<const std::string> tokens,
                   const NameStyle& style) {
  double widest = 0;
  for (const std::string& token : tokens) {
    widest = std::max(widest, TextWidth(ShortToken(token, style), style.font));
  }
  return widest;
}

double LeaningWidth(double width) { return width * std::cos(kNameRadians); }

double LeaningHeight(double width) { return width * std::sin(kNameRadians); }

void AddRowNames(std::span<const std::string> tokens, double x, double step,
                 const NameStyle& style, MarkupWriter* svg,
                 std::string_view anchor) {
  double y = step / 2 + style.font * 0.35;
  for (size_t i = 0; i < tokens.size(); ++i) {
    svg->Line(
        "<text class='token' x='{:.1f}' y='{:.1f}' font-size='{:.1f}' "
        "text-anchor='{}'{}>{}</text>",
        x, y, style.font, anchor, MarkOf(style, i),
        MarkupToken(tokens[i], style.columns));
    y += step;
  }
}

void AddColumnNames(std::span<const std::string> tokens, double step,
                    bool leaning, const NameStyle& style, MarkupWriter* svg) {
  double x = step / 2 + (leaning ? style.font * 0.25 : 0);
  const std::string turn =
      leaning ? fmt::format(" rotate(-{})", kNameAngle) : "";
  for (size_t i = 0; i < tokens.size(); ++i) {
    svg->Line(
        "<text class='token' font-size='{:.1f}' text-anchor='{}' "
        "transform='translate({:.1f} -6){}'{}>{}</text>",
        style.font, leaning ? "start" : "middle", x, turn, MarkOf(style, i),
        MarkupToken(tokens[i], style.columns));
    x += step;
  }
}

void AddRowTips(std::span<const std::string> rows,
                std::span<const std::string> columns,
                std::span<const float> weights, double cell, size_t max,
                MarkupWriter* svg) {
  for (size_t t = 0; t < rows.size(); ++t) {
    const auto row = weights.subspan(t * columns.size(), columns.size());
    svg->Line(
        "<rect fill='none' pointer-events='all' y='{}' width='{}' "
        "height='{}'><title>{} ← {}</title></rect>",
        cell * static_cast<double>(t),
        cell * static_cast<double>(columns.size()), cell,
        EscapeMarkup(ShortToken(rows[t], {})),
        EscapeMarkup(FormatStrongest(row, columns, max)));
  }
}

}  // namespace heed
