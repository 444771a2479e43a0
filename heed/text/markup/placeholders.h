// Placeholders that programs put into texts and that must stay unchanged:
// {name}, %s, URLs.
#ifndef HEED_TEXT_MARKUP_PLACEHOLDERS_H_
#define HEED_TEXT_MARKUP_PLACEHOLDERS_H_

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace heed {

struct PlaceholderOptions {
  /// True: &amp; and &#233; are placeholders (plain text). False: entities are
  /// decoded by the caller (HTML).
  bool entities = true;
  /// True for an emoji that the model knows, which is then text. Unset: all
  /// emoji are placeholders.
  std::function<bool(std::string_view)> knows = {};
};

/// Bytes [begin, end) of a text.
struct TextRange {
  size_t begin = 0;
  size_t end = 0;

  bool operator==(const TextRange&) const = default;
};

/// Placeholders of a text, in order. docs/reference/http_api.md describes the
/// forms:
///   {{name}} {name} {0} {} {n, plural, …} {% if %} ${name} #{name} %{name}
///   %s %d %1$s %.2f %@ %(name)s %name% %1 %1% (no digit or letter before it)
///   $name @name @name@host.tld #name :name :name: user_name __NAME__ X0X
///   [X0X] [NAME] <0> </0> <1/> <@123> <#123> <:name:123> \n &name;
///   https://… www.… x.example.com/… mailto:… a@b.example
///   emoji and sequences of them
/// Names have letters and digits of any script (UAX 31).
/// Brackets and quotation marks around a single placeholder belong to it, as
/// does punctuation that joins two without a word ({0}/{1}). Linear time: names
/// have at most 200 bytes, except URLs.
std::vector<TextRange> FindPlaceholders(std::string_view text,
                                        const PlaceholderOptions& options);

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_PLACEHOLDERS_H_
