// Translations as text of the document that they go into.
#ifndef HEED_TEXT_MARKUP_TEXT_ESCAPES_H_
#define HEED_TEXT_MARKUP_TEXT_ESCAPES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/markup/text_split.h"

namespace heed {

/// The size of the mark of a block that a line would begin with ("#", "-",
/// "1."); 0: there is none.
size_t BlockMarkSize(std::string_view text);

/// The bytes of a translation that Markdown would read as marks and that need
/// a backslash; empty for other formats. `source` is the plain text of the
/// sentence: what it begins with is no mark where it stands.
std::vector<bool> EscapesOf(std::string_view translation,
                            std::string_view source, TextFormat format);

/// Appends bytes [begin, end) of a translation to a document. `escapes` is
/// EscapesOf() of the translation.
void AppendEscaped(std::string_view translation, size_t begin, size_t end,
                   TextFormat format, const std::vector<bool>& escapes,
                   std::string& out);

/// All of a translation as text of a document.
std::string EscapeText(std::string_view translation, std::string_view source,
                       TextFormat format);

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_TEXT_ESCAPES_H_
