// UTF-8 text: validity, characters, case, white space and terminal columns.
#ifndef HEED_BASE_TEXT_H_
#define HEED_BASE_TEXT_H_

#include <optional>
#include <string>
#include <string_view>
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

/// Without spaces and tabs at both ends.
std::string_view TrimBlanks(std::string_view s);

/// A number and nothing else but blanks around it, from the locale-free grammar
/// of from_chars with an optional plus; nothing for infinity and NaN.
std::optional<double> ParseNumber(std::string_view s);

}  // namespace heed

#endif  // HEED_BASE_TEXT_H_
