#include "heed/base/text.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cmath>

#include "heed/base/errors.h"

namespace heed {
namespace {

// Calls body(code_point, begin, end) for each code point; negative if
// ill-formed.
template <typename Body>
void ForEachCodePoint(std::string_view s, Body&& body) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(s.data());
  const auto size = static_cast<int64_t>(s.size());
  for (int64_t i = 0; i < size;) {
    const int64_t begin = i;
    UChar32 c = 0;
    U8_NEXT(bytes, i, size, c);
    body(c, static_cast<size_t>(begin), static_cast<size_t>(i));
  }
}

int ColumnsOf(UChar32 c) {
  if (c < 0) return 1;  // shown as one replacement character
  const uint32_t kNoColumns =
      U_GC_MN_MASK | U_GC_ME_MASK | U_GC_CF_MASK | U_GC_CC_MASK;
  if ((U_GET_GC_MASK(c) & kNoColumns) != 0) return c == 0xAD ? 1 : 0;
  // Vowels and finals of conjoining Hangul are drawn over the leading
  // consonant.
  const int syllable = u_getIntPropertyValue(c, UCHAR_HANGUL_SYLLABLE_TYPE);
  if (syllable == U_HST_VOWEL_JAMO || syllable == U_HST_TRAILING_JAMO) return 0;
  const int width = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
  return width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1;
}

template <typename IsSpace>
std::vector<std::string_view> SplitWhere(std::string_view s,
                                         IsSpace&& is_space) {
  std::vector<std::string_view> pieces;
  size_t start = std::string_view::npos;
  ForEachCodePoint(s, [&](UChar32 c, size_t begin, size_t) {
    const bool outside = start == std::string_view::npos;
    if (is_space(c)) {
      if (!outside) pieces.push_back(s.substr(start, begin - start));
      start = std::string_view::npos;
    } else if (outside) {
      start = begin;
    }
  });
  if (start != std::string_view::npos) pieces.push_back(s.substr(start));
  return pieces;
}

// Replaces each ill-formed sequence by U+FFFD.
std::string WellFormed(std::string_view s) {
  std::string result;
  ForEachCodePoint(s, [&](UChar32 c, size_t begin, size_t end) {
    result += c < 0 ? "\xEF\xBF\xBD" : s.substr(begin, end - begin);
  });
  return result;
}

/// Text in the case of map(piece, sink, status).
template <typename Map>
std::string Recased(std::string_view utf8, const Map& map) {
  if (utf8.size() > INT32_MAX) {
    throw FormatError("change of case: a line of 2 GB or more; split it");
  }
  // ICU would keep ill-formed bytes.
  if (!IsValidUtf8(utf8)) return Recased(WellFormed(utf8), map);
  std::string recased;
  icu::StringByteSink<std::string> sink(&recased);
  UErrorCode status = U_ZERO_ERROR;
  map(icu::StringPiece(utf8.data(), static_cast<int32_t>(utf8.size())), sink,
      status);
  if (U_FAILURE(status)) {
    throw Error(std::string("change of case: ") + u_errorName(status));
  }
  return recased;
}

}  // namespace

bool IsValidUtf8(std::string_view s) {
  bool valid = true;
  ForEachCodePoint(s, [&](UChar32 c, size_t, size_t) { valid &= c >= 0; });
  return valid;
}

std::vector<std::string_view> Utf8Characters(std::string_view s) {
  std::vector<std::string_view> characters;
  characters.reserve(s.size());
  ForEachCodePoint(s, [&](UChar32, size_t begin, size_t end) {
    characters.push_back(s.substr(begin, end - begin));
  });
  return characters;
}

std::string Lowercase(std::string_view utf8) {
  return Recased(utf8, [](const auto& piece, auto& sink, auto& status) {
    icu::CaseMap::utf8ToLower("", 0, piece, sink, nullptr, status);
  });
}

std::string Uppercase(std::string_view utf8) {
  return Recased(utf8, [](const auto& piece, auto& sink, auto& status) {
    icu::CaseMap::utf8ToUpper("", 0, piece, sink, nullptr, status);
  });
}

std::string LettersAlone(std::string_view utf8) {
  std::string letters;
  letters.reserve(utf8.size());
  ForEachCodePoint(utf8, [&](UChar32 c, size_t begin, size_t end) {
    const bool letter =
        c >= 0 && (U_GET_GC_MASK(c) & (U_GC_L_MASK | U_GC_M_MASK)) != 0;
    if (letter) {
      letters += utf8.substr(begin, end - begin);
    } else {
      letters += ' ';
    }
  });
  return letters;
}

bool HasRightToLeft(std::string_view utf8) {
  const auto size = static_cast<int32_t>(utf8.size());
  for (int32_t i = 0; i < size;) {
    UChar32 c = 0;
    U8_NEXT(utf8.data(), i, size, c);
    if (c < 0) continue;
    const UCharDirection direction = u_charDirection(c);
    if (direction == U_RIGHT_TO_LEFT || direction == U_RIGHT_TO_LEFT_ARABIC) {
      return true;
    }
  }
  return false;
}

int DisplayWidth(std::string_view utf8) {
  int columns = 0;
  ForEachCodePoint(utf8,
                   [&](UChar32 c, size_t, size_t) { columns += ColumnsOf(c); });
  return columns;
}

std::vector<std::string_view> SplitAt(std::string_view s,
                                      std::string_view separator) {
  std::vector<std::string_view> pieces;
  size_t begin = 0;
  for (size_t end = s.find(separator); end != s.npos;
       end = s.find(separator, begin)) {
    pieces.push_back(s.substr(begin, end - begin));
    begin = end + separator.size();
  }
  pieces.push_back(s.substr(begin));
  return pieces;
}

std::pair<std::string_view, std::string_view> SplitOnce(
    std::string_view s, std::string_view separator) {
  const size_t at = s.find(separator);
  if (at == s.npos) return {s, {}};
  return {s.substr(0, at), s.substr(at + separator.size())};
}

std::vector<std::string_view> SplitLines(std::string_view s) {
  std::vector<std::string_view> lines = SplitAt(s, "\n");
  if (lines.back().empty()) lines.pop_back();
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

int64_t CountCharacters(std::string_view utf8) {
  return std::ranges::count_if(utf8, BeginsCharacter);
}

std::vector<std::string_view> SplitWhitespace(std::string_view s) {
  return SplitWhere(
      s, [](UChar32 c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
}

std::vector<std::string_view> SplitUnicodeWhitespace(std::string_view utf8) {
  // Python also splits at the four ASCII information separators.
  return SplitWhere(utf8, [](UChar32 c) {
    return c >= 0 && (u_isUWhiteSpace(c) || (c >= 0x1C && c <= 0x1F));
  });
}

std::string_view TrimBlanks(std::string_view s) {
  const size_t begin = s.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(" \t") - begin + 1);
}

std::optional<double> ParseNumber(std::string_view s) {
  s = TrimBlanks(s);
  if (s.starts_with('+') && !s.starts_with("+-")) s.remove_prefix(1);
  double value = 0;
  const char* end = s.data() + s.size();
  const auto [stop, error] = std::from_chars(s.data(), end, value);
  const bool number =
      error == std::errc() && stop == end && std::isfinite(value);
  return number ? std::optional(value) : std::nullopt;
}

}  // namespace heed
