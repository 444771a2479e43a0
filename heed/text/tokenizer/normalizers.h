// Normalisers of tokenizer.json.
#ifndef HEED_TEXT_TOKENIZER_NORMALIZERS_H_
#define HEED_TEXT_TOKENIZER_NORMALIZERS_H_

#include <vector>

#include "heed/text/tokenizer/aligned_text.h"
#include "heed/text/tokenizer/part.h"

namespace heed::tokens {

/// Steps of a normaliser, in order. Throws: FormatError for an unknown type.
std::vector<Step> NormalizerSteps(const Part& part);

/// Replaces each byte by the character that stands for it in byte-level
/// vocabularies.
void WriteByteLevel(Pieces& state);

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_NORMALIZERS_H_
