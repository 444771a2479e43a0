#include "heed/explain/markup.h"

#include "heed/base/text.h"
#include "heed/explain/text_layout.h"

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

double TextWidth(std::string_view text, double font_size) {
  constexpr double kColumn = 0.62;  // of the font size, per terminal column
  return DisplayWidth(text) * font_size * kColumn;
}

}  // namespace heed
