// Classes of ASCII characters.
#ifndef HEED_TEXT_MARKUP_ASCII_H_
#define HEED_TEXT_MARKUP_ASCII_H_

#include <algorithm>
#include <string_view>

namespace heed {

constexpr bool IsAsciiLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsAsciiUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsAsciiLetter(char c) {
  return IsAsciiLower(c) || IsAsciiUpper(c);
}
constexpr bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }
/// True for ASCII white space.
constexpr bool IsAsciiBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// True if two texts are equal up to the case of ASCII letters.
constexpr bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return IsAsciiUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_ASCII_H_
