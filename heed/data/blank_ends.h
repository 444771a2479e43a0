// White space and invisible characters around a text.
#ifndef HEED_DATA_BLANK_ENDS_H_
#define HEED_DATA_BLANK_ENDS_H_

#include <string_view>

namespace heed {

/// Text without white space and invisible characters at both ends: byte-order
/// marks, zero-width spaces, word joiners, directional marks, soft hyphens and
/// similar ones. A zero-width joiner after an Indic letter is kept, because it
/// changes the letter's form.
std::string_view WithoutBlankEnds(std::string_view text);

}  // namespace heed

#endif  // HEED_DATA_BLANK_ENDS_H_
