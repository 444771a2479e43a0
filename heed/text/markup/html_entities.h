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

/// The character reference that `html` begins with, as browsers read it in a
/// text: a name of HTML's table, or a number. Old names and numbers may lack
/// the semicolon ("&copy 2024"); numbers from 128 to 159 are those of Windows;
/// what is no character is U+FFFD. Nothing for others.
std::optional<HtmlEntity> EntityAt(std::string_view html);

/// With &amp; &lt; &gt; for what would be markup.
std::string EscapeHtml(std::string_view text);

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_HTML_ENTITIES_H_
