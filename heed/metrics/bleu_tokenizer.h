// Tokenisers of BLEU, as sacreBLEU defines them.
#ifndef HEED_METRICS_BLEU_TOKENIZER_H_
#define HEED_METRICS_BLEU_TOKENIZER_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "heed/base/config.h"

namespace heed {

/// How BLEU splits a line into tokens:
///   13a   separate punctuation, as mteval-v13a: for languages with spaces
///   intl  separate punctuation and symbols of all scripts, as mteval-v14
///   zh    separate Chinese characters, otherwise as 13a
///   char  separate every character
///   none  split at white space only, for tokenised text
enum class BleuTokenizer : uint8_t { k13a, kIntl, kZh, kChar, kNone };
constexpr auto WordsOf(BleuTokenizer) {
  return std::array{"13a", "intl", "zh", "char", "none"};
}

/// The tokens of `line`, joined by single spaces.
std::string TokenizeForBleu(std::string_view line, BleuTokenizer tokenizer);

/// Help text of the tokeniser option.
inline constexpr const char* kBleuTokenizeHelp =
    "tokeniser of BLEU, as in sacreBLEU; auto: zh for Chinese without spaces "
    "between words, else 13a";

/// The tokeniser that "auto" selects, and a warning if the text has no spaces
/// between words; an empty `note` means no warning.
struct ChosenTokenizer {
  BleuTokenizer tokenizer = BleuTokenizer::k13a;
  std::string note;
};
ChosenTokenizer ChooseTokenizer(Auto<BleuTokenizer> option,
                                std::span<const std::string> references);

}  // namespace heed

#endif  // HEED_METRICS_BLEU_TOKENIZER_H_
