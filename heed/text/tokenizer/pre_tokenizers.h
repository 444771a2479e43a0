// Pre-tokenisers of tokenizer.json.
#ifndef HEED_TEXT_TOKENIZER_PRE_TOKENIZERS_H_
#define HEED_TEXT_TOKENIZER_PRE_TOKENIZERS_H_

#include <vector>

#include "heed/text/tokenizer/aligned_text.h"
#include "heed/text/tokenizer/part.h"

namespace heed::tokens {

/// Steps of a pre-tokeniser, in order.
struct PreTokenizer {
  std::vector<Step> steps;
  /// True if the last step replaces bytes by characters (see ByteCharacter).
  /// `steps` leaves it out, because models can read the bytes themselves.
  bool ends_in_bytes = false;
};

/// Throws: FormatError for an unknown type.
PreTokenizer ReadPreTokenizer(const Part& part);

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_PRE_TOKENIZERS_H_
