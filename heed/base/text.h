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

/// Whether `s` is well-formed UTF-8 (no surrogates, no overlong forms).
bool IsValidUtf8(std::string_view s);

/// The code points of `s`, one view each, in order. An ill-formed byte sequence
/// becomes a piece of its own.
std::vector<std::string_view> Utf8Characters(std::string_view s);

/// `utf8` in lower case by Unicode's full rules without a language's
/// exceptions: what Python's str.lower() gives. Ill-formed bytes become U+FFFD.
std::string Lowercase(std::string_view utf8);

/// `utf8` with a space in the place of every character that is neither a letter
/// nor a mark upon one (Unicode's categories L and M).
std::string LettersAlone(std::string_view utf8);

/// Whether a letter of it is written from right to left.
bool HasRightToLeft(std::string_view utf8);

/// Columns that a terminal uses for `utf8`: two for wide East Asian characters
/// and emoji, none for combining marks and control characters.
int DisplayWidth(std::string_view utf8);

/// The pieces of `s` between ASCII white space, without empty ones.
std::vector<std::string_view> SplitWhitespace(std::string_view s);

/// The pieces of `utf8` between Unicode white space (no-break and ideographic
/// spaces too), without empty ones: what Python's str.split() gives.
std::vector<std::string_view> SplitUnicodeWhitespace(std::string_view utf8);

/// The pieces of `s` between separators, empty ones too; of no text: one empty
/// piece.
std::vector<std::string_view> SplitAt(std::string_view s,
                                      std::string_view separator);

/// What stands before the first separator, and behind it; all of `s` and
/// nothing where there is none.
std::pair<std::string_view, std::string_view> SplitOnce(
    std::string_view s, std::string_view separator);

/// The lines of `s`, without line ends (LF or CRLF); none behind the last one.
std::vector<std::string_view> SplitLines(std::string_view s);

/// Whether a byte of UTF-8 is the first one of its character.
constexpr bool BeginsCharacter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

/// Units: code points
int64_t CountCharacters(std::string_view utf8);

/// Without spaces and tabs at both ends.
std::string_view TrimBlanks(std::string_view s);

/// A number and nothing else but blanks around it, from the locale-free grammar
/// of from_chars with an optional plus; nothing for infinity and NaN.
std::optional<double> ParseNumber(std::string_view s);

/// A whole number of this type and nothing else.
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
