// Layout of tokens of any text: visible form, truncation and padding to
// columns.
#ifndef HEED_RENDER_TEXT_LAYOUT_H_
#define HEED_RENDER_TEXT_LAYOUT_H_

#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// `token` in visible and safe form: control characters as their pictures (␊),
/// a token of spaces as ␣, ill-formed bytes and characters that would reorder
/// or break the surrounding text as U+FFFD.
std::string VisibleToken(std::string_view token);

/// Code points with their combining marks, one per place.
std::vector<std::string> DisplayCharacters(std::string_view utf8);

/// `utf8` truncated to at most `columns` columns, ending in … if anything is
/// lost.
std::string Ellipsize(std::string_view utf8, int columns);

enum class Align { kLeft, kCentre, kRight };

/// `utf8` truncated and padded with spaces to exactly `columns` columns.
std::string Pad(std::string_view utf8, int columns, Align align = Align::kLeft);

}  // namespace heed

#endif  // HEED_RENDER_TEXT_LAYOUT_H_
