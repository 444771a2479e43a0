// Character references of HTML.
#ifndef HEED_TEXT_MARKUP_HTML_ENTITIES_H_
#define HEED_TEXT_MARKUP_HTML_ENTITIES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

struct HtmlEntity {
  std::string text;  ///< the characters in UTF-8
  size_t size = 0;   ///< bytes of "&eacute;"
};

/// The character reference at the start of `html`, decoded like browsers do: a
/// name of HTML's table, or a number. Old names and numbers may lack the
/// semicolon ("&copy 2024"). Numbers from 128 to 159 are Windows-1252; invalid
/// numbers become U+FFFD. Nothing if there is no reference.
std::optional<HtmlEntity> EntityAt(std::string_view html);

/// Text with &amp; &lt; &gt; instead of markup characters.
std::string EscapeHtml(std::string_view text);

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_HTML_ENTITIES_H_
