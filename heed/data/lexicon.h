// Lexicons of translation probabilities: lines of target token, source token,
// probability.
#ifndef HEED_DATA_LEXICON_H_
#define HEED_DATA_LEXICON_H_

#include <functional>
#include <string>
#include <string_view>

namespace heed {

/// Calls `each` for every line of a lexicon, plain or gzip. Throws: IoError;
/// FormatError that names file and line.
void ForEachTranslationOfTokens(
    const std::string& path,
    const std::function<void(std::string_view target, std::string_view source,
                             double probability)>& each);

}  // namespace heed

#endif  // HEED_DATA_LEXICON_H_
