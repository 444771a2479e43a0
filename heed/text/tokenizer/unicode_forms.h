// Unicode normalisation forms that keep the origin of each character.
#ifndef HEED_TEXT_TOKENIZER_UNICODE_FORMS_H_
#define HEED_TEXT_TOKENIZER_UNICODE_FORMS_H_

#include "heed/text/tokenizer/aligned_text.h"

namespace heed::tokens {

enum class UnicodeForm : uint8_t { kNfc, kNfd, kNfkc, kNfkd };

/// Step that converts every text piece. Characters that were composed,
/// decomposed or reordered together have the range of all of them.
Step UnicodeFormStep(UnicodeForm form);

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_UNICODE_FORMS_H_
