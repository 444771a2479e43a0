#include "heed/data/blank_ends.h"

#include <array>
#include <cstddef>
#include <vector>

#include "heed/base/text.h"

namespace heed {

namespace {

constexpr std::string_view kJoiner = "\xE2\x80\x8D";  // U+200D

/// Invisible characters without meaning at the end of a word: U+FEFF, U+200B,
/// U+200D, U+200E, U+200F, U+2060, U+180E, U+00AD.
constexpr std::array<std::string_view, 8> kInvisible = {
    "\xEF\xBB\xBF", "\xE2\x80\x8B", kJoiner,        "\xE2\x80\x8E",
    "\xE2\x80\x8F", "\xE2\x81\xA0", "\xE1\xA0\x8E", "\xC2\xAD"};

/// True if the text ends with a character in U+0900 to U+0DFF.
bool EndsWithIndic(std::string_view text) {
  constexpr size_t kBytes = 3;
  if (text.size() < kBytes) return false;
  text.remove_prefix(text.size() - kBytes);
  return text[0] == '\xE0' && text[1] >= '\xA4' && text[1] <= '\xB7';
}

}  // namespace

std::string_view WithoutBlankEnds(std::string_view text) {
  for (;;) {
    const std::vector<std::string_view> parts = SplitUnicodeWhitespace(text);
    if (parts.empty()) return {};
    const char* end = parts.back().data() + parts.back().size();
    text = {parts.front().data(),
            static_cast<size_t>(end - parts.front().data())};
    const size_t before = text.size();
    for (const std::string_view mark : kInvisible) {
      if (text.starts_with(mark)) text.remove_prefix(mark.size());
      if (!text.ends_with(mark)) continue;
      const std::string_view shorter =
          text.substr(0, text.size() - mark.size());
      if (mark != kJoiner || !EndsWithIndic(shorter)) text = shorter;
    }
    if (text.size() == before) return text;
  }
}

}  // namespace heed
