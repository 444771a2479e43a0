// Sentence-by-sentence translation of long lines.
#ifndef HEED_DECODE_DIVIDED_LINES_H_
#define HEED_DECODE_DIVIDED_LINES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/decode/translator.h"
#include "heed/text/target_marks.h"

namespace heed {

/// Maximum length of a line that is translated as a whole. Units: characters
inline constexpr int kLongestLine = 2000;

/// Maximum number of lines of a stream that are translated together.
inline constexpr int64_t kTranslatedTogether = 1024;

/// Translates lines as Translator::Translate does, but splits lines of more
/// than `max_line` characters (0: no limit) into sentences (see
/// SplitSentences). A warning on standard error names these lines, numbered
/// from `first`. The translations of the sentences are joined: texts with a
/// space where the source has one, tokens concatenated, scores summed;
/// attention covers only pairs within a sentence. A target mark of a line (see
/// TargetMarks) is repeated for each of its sentences. The observer of `hooks`
/// is not called for divided lines.
/// Throws: as Translator::Translate.
std::vector<Translations> TranslateDivided(const Translator& translator,
                                           const TargetMarks& marks,
                                           std::span<const std::string> lines,
                                           int64_t first, int64_t max_line,
                                           const TranslateHooks& hooks = {});

}  // namespace heed

#endif  // HEED_DECODE_DIVIDED_LINES_H_
