// Hand-written equivalents of the regular expressions of common tokenizers.
#ifndef HEED_TEXT_TOKENIZER_SCANNERS_H_
#define HEED_TEXT_TOKENIZER_SCANNERS_H_

#include <functional>
#include <string_view>
#include <vector>

#include "heed/text/tokenizer/aligned_text.h"

namespace heed::tokens {

/// Appends the non-overlapping matches of a pattern in a text, in order.
using Finder = std::function<void(std::string_view, std::vector<ByteRange>&)>;

/// Matches of GPT-2's pattern: words with the space in front of them.
Finder Gpt2Scanner();
/// Scanner equal to this regular expression; empty if there is none.
Finder ScannerFor(std::string_view regex);

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_SCANNERS_H_
