#include "heed/data/lexicon.h"

#include <cstdint>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/io/file.h"

namespace heed {

void ForEachTranslationOfTokens(
    const std::string& path,
    const std::function<void(std::string_view target, std::string_view source,
                             double probability)>& each) {
  ForEachLine(path, [&](std::string_view line, int64_t number) {
    const auto words = SplitUnicodeWhitespace(line);
    const auto probability =
        words.size() == 3 ? ParseNumber(words[2]) : std::nullopt;
    if (!probability || !(*probability >= 0 && *probability <= 1)) {
      throw FormatError(
          "{}:{}: not a target token, a source token and a probability", path,
          number);
    }
    each(words[0], words[1], *probability);
    return true;
  });
}

}  // namespace heed
