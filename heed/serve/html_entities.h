// Character references of HTML.
#ifndef HEED_SERVE_HTML_ENTITIES_H_
#define HEED_SERVE_HTML_ENTITIES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

struct HtmlEntity {
  std::string text;  ///< the character in UTF-8
  size_t size = 0;   ///< bytes of "&eacute;"
};

/// The reference that `html` begins with: one of HTML 4, &apos;, or a number
/// (U+FFFD for what is no character); nothing for others.
std::optional<HtmlEntity> EntityAt(std::string_view html);

/// With &amp; &lt; &gt; for what would be markup.
std::string EscapeHtml(std::string_view text);

}  // namespace heed

#endif  // HEED_SERVE_HTML_ENTITIES_H_
