// White space and invisible characters around a text.
#ifndef HEED_DATA_BLANK_ENDS_H_
#define HEED_DATA_BLANK_ENDS_H_

#include <string_view>

namespace heed {

/// The text without white space of any kind and invisible characters at both
/// ends: byte-order marks, zero-width spaces, word joiners, directional marks,
/// soft hyphens and the like. A zero-width joiner stays behind an Indic letter,
/// which it gives its form.
std::string_view WithoutBlankEnds(std::string_view text);

}  // namespace heed

#endif  // HEED_DATA_BLANK_ENDS_H_
