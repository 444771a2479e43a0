#include "heed/text/markup/html_entities.h"

#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "heed/base/text.h"
#include "heed/text/markup/ascii.h"
#include "heed/text/markup/html_entity_names.h"

namespace heed {
namespace {

std::string Utf8(uint32_t code) {
  char bytes[4];
  int32_t size = 0;
  UBool failed = false;
  U8_APPEND(reinterpret_cast<uint8_t*>(bytes), size, 4,
            static_cast<UChar32>(code), failed);
  if (failed) return "\xEF\xBF\xBD";
  return {bytes, static_cast<size_t>(size)};
}

using EntityTable = std::unordered_map<std::string_view, std::string>;

/// Maps each name of the lists to its characters.
EntityTable ReadEntities() {
  EntityTable all;
  std::string text;
  for (const std::string_view word : SplitWhitespace(kHtmlEntityNames)) {
    if (!word.starts_with('0')) {
      all[word] = text;
      continue;
    }
    text.clear();
    for (const std::string_view digits : SplitAt(word, "+")) {
      uint32_t code = 0;
      std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
      text += Utf8(code);
    }
  }
  return all;
}

const EntityTable& Entities() {
  static const EntityTable entities = ReadEntities();
  return entities;
}

bool MayLackSemicolon(std::string_view name) {
  static const auto names = [] {
    const auto words = SplitWhitespace(kBareHtmlEntityNames);
    return std::unordered_set<std::string_view>(words.begin(), words.end());
  }();
  return names.contains(name);
}

/// Code point of a numeric reference, with replacements for invalid numbers and
/// for Windows-1252.
uint32_t CodeOfNumber(uint32_t number) {
  // Windows-1252 from 0x80 on; 0: unchanged.
  constexpr std::array<uint32_t, 32> kWindows = {
      0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
      0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
      0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};
  constexpr uint32_t kNoCharacter = 0xFFFD;
  if (number == 0) return kNoCharacter;
  if (number < 0x80 || number >= 0x80 + kWindows.size()) return number;
  const uint32_t code = kWindows[number - 0x80];
  return code == 0 ? number : code;
}

/// "&#233;", "&#xE9;"
std::optional<HtmlEntity> NumberAt(std::string_view html) {
  const bool hex = html.size() > 2 && (html[2] == 'x' || html[2] == 'X');
  const size_t begin = hex ? 3 : 2;
  constexpr uint32_t kBeyond = 0x110000;
  uint32_t number = 0;
  size_t end = begin;
  for (; end < html.size(); ++end) {
    const char* digit = html.data() + end;
    uint32_t value = 0;
    if (std::from_chars(digit, digit + 1, value, hex ? 16 : 10).ec !=
        std::errc()) {
      break;
    }
    number = std::min(number * (hex ? 16 : 10) + value, kBeyond);
  }
  if (end == begin) return std::nullopt;
  const bool closed = end < html.size() && html[end] == ';';
  return HtmlEntity{Utf8(CodeOfNumber(number)), end + (closed ? 1 : 0)};
}

}  // namespace

std::optional<HtmlEntity> EntityAt(std::string_view html) {
  constexpr size_t kLongestName = 32;
  constexpr size_t kLongestBareName = 6;
  if (!html.starts_with('&')) return std::nullopt;
  if (html.substr(1).starts_with('#')) return NumberAt(html);
  size_t end = 1;
  while (end < html.size() && end <= kLongestName &&
         (IsAsciiLetter(html[end]) || IsAsciiDigit(html[end]))) {
    ++end;
  }
  const EntityTable& entities = Entities();
  if (end < html.size() && html[end] == ';') {
    const auto found = entities.find(html.substr(1, end - 1));
    if (found != entities.end()) return HtmlEntity{found->second, end + 1};
  }
  for (size_t size = std::min(end - 1, kLongestBareName); size > 1; --size) {
    const std::string_view name = html.substr(1, size);
    if (MayLackSemicolon(name)) {
      return HtmlEntity{entities.at(name), size + 1};
    }
  }
  return std::nullopt;
}

std::string EscapeHtml(std::string_view text) {
  std::string html;
  for (const char c : text) {
    const std::string_view escaped = c == '&'   ? "&amp;"
                                     : c == '<' ? "&lt;"
                                     : c == '>' ? "&gt;"
                                                : std::string_view(&c, 1);
    html += escaped;
  }
  return html;
}

}  // namespace heed
