// Sentence segmentation.
#ifndef HEED_TEXT_SENTENCES_H_
#define HEED_TEXT_SENTENCES_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace heed {

/// Maximum length of a sentence before it is split at a comma or a space.
/// Units: code points
inline constexpr int64_t kLongestSentence = 600;

/// Splits a UTF-8 line into sentences; joined they are the line. Sentences end
/// by Unicode's rules (UAX 29), but not after abbreviations, initials, ordinal
/// numbers and the number of a list item ("Dr. Smith", "J. S. Bach", "p. ex.
/// Paris", "am 3. Mai", "1. Item", "1.1. Item"). A sentence of more than
/// kLongestSentence characters is split after its last comma or similar mark,
/// else before a space, else at the limit. `language` is the code of the line's
/// language ("" if unknown), which selects the abbreviations.
std::vector<std::string_view> SplitSentences(std::string_view line,
                                             std::string_view language = "");

/// True if a text ends with a full stop, "!" or "?", possibly followed by
/// quotation marks or brackets.
bool EndsWithStop(std::string_view text);

/// Size of the list marker (number, letter or bullet) at the start of a line,
/// with the white space around it: "1. ", "1.1. ", " 2) ", "(3) ", "a) ", "iv)
/// ", "- ", "• ". 0 if there is none or nothing follows. In languages such as
/// German, "3. Mai" is a date.
size_t ListMarkerSize(std::string_view line, std::string_view language);

}  // namespace heed

#endif  // HEED_TEXT_SENTENCES_H_
