#include "heed/render/text_layout.h"

#include <algorithm>

#include "heed/base/text.h"

namespace heed {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kEllipsis = "…";

// True for code points that reorder surrounding text or that XML does not
// allow: C1 controls, line and bidirectional controls, noncharacters.
bool BreaksItsSurroundings(std::string_view c) {
  return (c >= "\xC2\x80" && c <= "\xC2\x9F") ||          // U+0080..009F
         (c >= "\xE2\x80\xA8" && c <= "\xE2\x80\xAE") ||  // U+2028..202E
         (c >= "\xE2\x81\xA6" && c <= "\xE2\x81\xA9") ||  // U+2066..2069
         c == "\xE2\x80\x8E" || c == "\xE2\x80\x8F" ||    // U+200E, U+200F
         c == "\xEF\xBF\xBE" || c == "\xEF\xBF\xBF";      // U+FFFE, U+FFFF
}

// Picture of an ASCII control character: U+2400 + c, U+2421 for delete.
std::string ControlPicture(unsigned char c) {
  const int low = c == 0x7F ? 0x21 : c;
  return {'\xE2', '\x90', static_cast<char>(0x80 + low)};
}

}  // namespace

std::string VisibleToken(std::string_view token) {
  const bool only_spaces =
      token.find_first_not_of(' ') == std::string_view::npos;
  if (!token.empty() && only_spaces) return "␣";
  std::string out;
  for (std::string_view c : Utf8Characters(token)) {
    const auto first = static_cast<unsigned char>(c[0]);
    if (first < 0x20 || first == 0x7F) {
      out += ControlPicture(first);
    } else if (!IsValidUtf8(c) || BreaksItsSurroundings(c)) {
      out += kReplacement;
    } else {
      out += c;
    }
  }
  return out;
}

std::vector<std::string> DisplayCharacters(std::string_view utf8) {
  std::vector<std::string> characters;
  for (std::string_view c : Utf8Characters(utf8)) {
    if (!characters.empty() && DisplayWidth(c) == 0) {
      characters.back() += c;
    } else {
      characters.emplace_back(c);
    }
  }
  return characters;
}

std::string Ellipsize(std::string_view utf8, int columns) {
  if (DisplayWidth(utf8) <= columns) return std::string(utf8);
  if (columns <= 0) return "";
  std::string out;
  int used = 0;
  for (const std::string& c : DisplayCharacters(utf8)) {
    const int width = DisplayWidth(c);
    if (used + width > columns - 1) break;
    out += c;
    used += width;
  }
  return out.append(kEllipsis);
}

std::string Pad(std::string_view utf8, int columns, Align align) {
  const std::string text = Ellipsize(utf8, columns);
  const int space = std::max(0, columns - DisplayWidth(text));
  const int before = align == Align::kLeft    ? 0
                     : align == Align::kRight ? space
                                              : space / 2;
  return std::string(before, ' ') + text + std::string(space - before, ' ');
}

}  // namespace heed
