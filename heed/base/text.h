// UTF-8 text: validity, characters, case, white space and terminal columns.
#ifndef HEED_BASE_TEXT_H_
#define HEED_BASE_TEXT_H_

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace heed {

/// True if `s` is well-formed UTF-8 (no surrogates, no overlong forms).
bool IsValidUtf8(std::string_view s);

/// Splits `s` into code points, in order. An ill-formed byte sequence becomes
/// one piece.
std::vector<std::string_view> Utf8Characters(std::string_view s);

/// Lower case of `utf8` by Unicode's full rules without language-specific
/// exceptions, as Python's str.lower(). Ill-formed bytes become U+FFFD.
std::string Lowercase(std::string_view utf8);
/// Upper case of `utf8`, as Python's str.upper(); see Lowercase.
std::string Uppercase(std::string_view utf8);

/// Replaces every character that is neither a letter nor a combining mark
/// (Unicode categories L and M) by a space.
std::string LettersAlone(std::string_view utf8);

/// True if the text contains a right-to-left letter.
bool HasRightToLeft(std::string_view utf8);

/// Columns that a terminal uses for `utf8`: two for wide East Asian characters
/// and emoji, none for combining marks and control characters.
int DisplayWidth(std::string_view utf8);

/// Splits `s` at ASCII white space, without empty pieces.
std::vector<std::string_view> SplitWhitespace(std::string_view s);

/// Splits `utf8` at Unicode white space (including no-break and ideographic
/// spaces), without empty pieces, as Python's str.split().
std::vector<std::string_view> SplitUnicodeWhitespace(std::string_view utf8);

/// Splits `s` at each separator and keeps empty pieces; an empty text gives one
/// empty piece.
std::vector<std::string_view> SplitAt(std::string_view s,
                                      std::string_view separator);

/// Splits `s` at the first separator; without one, into all of `s` and "".
std::pair<std::string_view, std::string_view> SplitOnce(
    std::string_view s, std::string_view separator);

/// Splits `s` into lines, without line ends (LF or CRLF). A final line end
/// starts no further line.
std::vector<std::string_view> SplitLines(std::string_view s);

/// True if a byte of UTF-8 is the first of its character.
constexpr bool BeginsCharacter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

/// Number of code points.
int64_t CountCharacters(std::string_view utf8);

/// Removes spaces and tabs at both ends.
std::string_view TrimBlanks(std::string_view s);

/// Parses a number with optional blanks around it, by the locale-free grammar
/// of from_chars with an optional plus; nullopt for infinity and NaN.
std::optional<double> ParseNumber(std::string_view s);

/// Parses an integer of this type; nullopt for any other text.
template <typename Integer>
std::optional<Integer> ParseInteger(std::string_view s) {
  Integer value = 0;
  const char* end = s.data() + s.size();
  const auto [stop, error] = std::from_chars(s.data(), end, value);
  const bool number = error == std::errc() && stop == end;
  return number ? std::optional(value) : std::nullopt;
}

}  // namespace heed

#endif  // HEED_BASE_TEXT_H_
