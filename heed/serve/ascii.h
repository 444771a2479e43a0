// Kinds of bytes that tags, placeholders and codes are made of.
#ifndef HEED_SERVE_ASCII_H_
#define HEED_SERVE_ASCII_H_

namespace heed {

constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsLetter(char c) { return IsLower(c) || IsUpper(c); }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
/// ASCII white space.
constexpr bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace heed

#endif  // HEED_SERVE_ASCII_H_
