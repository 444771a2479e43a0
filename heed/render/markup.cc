#include "heed/render/markup.h"

#include "heed/base/text.h"
#include "heed/render/text_layout.h"

namespace heed {

std::string EscapeMarkup(std::string_view text) {
  std::string out;
  for (char c : VisibleToken(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string MarkupToken(std::string_view token, int columns) {
  constexpr std::string_view kSpace = "▁";
  std::string label = EscapeMarkup(Ellipsize(VisibleToken(token), columns));
  if (label.starts_with(kSpace) && label.size() > kSpace.size()) {
    label.replace(0, kSpace.size(), "<tspan class='space'>▁</tspan>");
  }
  return HasRightToLeft(token) ? "\u2068" + label + "\u2069" : label;
}

double TextWidth(std::string_view text, double font_size) {
  constexpr double kColumn = 0.62;  // of the font size per terminal column
  return DisplayWidth(text) * font_size * kColumn;
}

std::string ItemAttributes(std::string_view axis, int64_t item) {
  return fmt::format("data-axis='{}' data-item='{}'", EscapeMarkup(axis), item);
}

}  // namespace heed
