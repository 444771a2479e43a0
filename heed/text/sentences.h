// Where sentences end.
#ifndef HEED_TEXT_SENTENCES_H_
#define HEED_TEXT_SENTENCES_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace heed {

/// How long a sentence may be before it is cut at a comma or a space.
/// Units: code points
inline constexpr int64_t kLongestSentence = 600;

/// Splits a UTF-8 line into sentences, which together are the line. Sentences
/// end by Unicode's rules (UAX 29), but not behind abbreviations, initials,
/// ordinal numbers and the number of a list item ("Dr. Smith", "J. S. Bach",
/// "p. ex. Paris", "am 3. Mai", "1. Item", "1.1. Item"). A sentence of more
/// than kLongestSentence characters is cut behind its last comma or the like,
/// else before a space, else at the limit. `language` is the code of the line's
/// language ("" if unknown), which decides on abbreviations.
std::vector<std::string_view> SplitSentences(std::string_view line,
                                             std::string_view language = "");

/// Whether a text ends with a full stop, "!" or "?", also with quotation marks
/// or brackets behind it.
bool EndsWithStop(std::string_view text);

/// Bytes of the number, letter or bullet of a list item that a line begins
/// with, and the white space around it: "1. ", "1.1. ", " 2) ", "(3) ", "a) ",
/// "iv) ",
/// "- ", "• "; 0 if there is none or nothing follows. In German and the like
/// "3. Mai" is a date.
size_t ListMarkerSize(std::string_view line, std::string_view language);

}  // namespace heed

#endif  // HEED_TEXT_SENTENCES_H_
