// Escaping of translations for the format of their document.
#ifndef HEED_TEXT_MARKUP_TEXT_ESCAPES_H_
#define HEED_TEXT_MARKUP_TEXT_ESCAPES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/markup/text_split.h"

namespace heed {

/// Size of the block mark at the start of a line ("#", "-", "1."); 0: none.
size_t BlockMarkSize(std::string_view text);

/// Bytes of a translation that need a backslash because Markdown would read
/// them as marks; empty for other formats. `source` is the plain text of the
/// sentence; a block mark at its start needs no escape.
std::vector<bool> EscapesOf(std::string_view translation,
                            std::string_view source, TextFormat format);

/// Appends bytes [begin, end) of a translation to a document, escaped.
/// `escapes` is EscapesOf() of the translation.
void AppendEscaped(std::string_view translation, size_t begin, size_t end,
                   TextFormat format, const std::vector<bool>& escapes,
                   std::string& out);

/// Escapes a whole translation.
std::string EscapeText(std::string_view translation, std::string_view source,
                       TextFormat format);

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_TEXT_ESCAPES_H_
