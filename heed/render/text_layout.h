// Fitting tokens of any text into pictures: what is shown for a token, cut and
// padded to columns.
#ifndef HEED_RENDER_TEXT_LAYOUT_H_
#define HEED_RENDER_TEXT_LAYOUT_H_

#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// `token` with everything visible and harmless: control characters as their
/// pictures (␊), nothing but spaces as ␣, ill-formed bytes and characters that
/// would reorder or break the surrounding text as U+FFFD.
std::string VisibleToken(std::string_view token);

/// Code points with the combining marks that follow them, one per place.
std::vector<std::string> DisplayCharacters(std::string_view utf8);

/// `utf8` cut to at most `columns` columns, ending in … if anything is lost.
std::string Ellipsize(std::string_view utf8, int columns);

enum class Align { kLeft, kCentre, kRight };

/// `utf8` ellipsized and filled with spaces to exactly `columns` columns.
std::string Pad(std::string_view utf8, int columns, Align align = Align::kLeft);

}  // namespace heed

#endif  // HEED_RENDER_TEXT_LAYOUT_H_
