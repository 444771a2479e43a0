// White space and invisible characters around a text.
#ifndef HEED_DATA_BLANK_ENDS_H_
#define HEED_DATA_BLANK_ENDS_H_

#include <string_view>

namespace heed {

/// The text without white space of any kind, byte-order marks and zero-width
/// spaces at both ends.
std::string_view WithoutBlankEnds(std::string_view text);

}  // namespace heed

#endif  // HEED_DATA_BLANK_ENDS_H_
