// Lines too long to be translated at once.
#ifndef HEED_DECODE_DIVIDED_LINES_H_
#define HEED_DECODE_DIVIDED_LINES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/decode/translator.h"
#include "heed/text/target_marks.h"

namespace heed {

/// Characters of a line above which it is translated in sentences.
inline constexpr int kLongestLine = 2000;

/// Lines of a stream that are translated together at most.
inline constexpr int64_t kTranslatedTogether = 1024;

/// Translates lines as Translator::Translate does; but lines of more than
/// `max_line` characters (0: no limit) are translated sentence by sentence (see
/// SplitSentences), with a warning on standard error that numbers them from
/// `first`, and joined: texts with a space where the source has one, tokens
/// with those of the other sentences, scores as sums; attention only within
/// sentences. A mark in front of a line (see TargetMarks) is put in front of
/// all its sentences. The observer of `hooks` is not called for divided lines.
/// Throws: as Translator::Translate.
std::vector<Translations> TranslateDivided(const Translator& translator,
                                           const TargetMarks& marks,
                                           std::span<const std::string> lines,
                                           int64_t first, int64_t max_line,
                                           const TranslateHooks& hooks = {});

}  // namespace heed

#endif  // HEED_DECODE_DIVIDED_LINES_H_
