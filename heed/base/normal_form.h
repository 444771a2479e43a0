// Normal forms of equivalent Unicode texts.
#ifndef HEED_BASE_NORMAL_FORM_H_
#define HEED_BASE_NORMAL_FORM_H_

#include <string>
#include <string_view>

namespace heed {

/// Converts `utf8` to Unicode normalisation form C. Ill-formed bytes stay.
/// Throws: FormatError for a text of 2 GB or more.
std::string Nfc(std::string_view utf8);

/// Converts `utf8` to form C and removes invisible differences:
/// - Each white space character (no-break, ideographic, thin, line separator,
///   tab) becomes a space.
/// - A zero-width space, byte order mark, left-to-right or right-to-left mark
///   becomes a space, unless it stands at an end or beside a space; then it is
///   removed.
/// - Control characters and invisible format characters (soft hyphen, word
///   joiner, directional embeddings) are removed. The joiners U+200C and
///   U+200D, variation selectors and emoji tags stay, because they are visible.
/// - Ill-formed bytes become U+FFFD.
/// Canonically equivalent texts have equal normal forms; the function is
/// idempotent. Throws: FormatError for a text of 2 GB or more.
std::string NormalForm(std::string_view utf8);

}  // namespace heed

#endif  // HEED_BASE_NORMAL_FORM_H_
