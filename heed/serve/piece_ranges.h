// Which characters of a text its tokens stand for.
#ifndef HEED_SERVE_PIECE_RANGES_H_
#define HEED_SERVE_PIECE_RANGES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/serve/placeholders.h"

namespace heed {

/// The bytes of `text` that each token stands for, in order and without gaps
/// but for white space: by characters, and where a vocabulary changed them (½
/// became 1/2), by their share of the word.
std::vector<TextRange> RangesOfPieces(std::string_view text,
                                      std::span<const std::string> pieces);

}  // namespace heed

#endif  // HEED_SERVE_PIECE_RANGES_H_
