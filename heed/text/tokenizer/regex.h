// Regular expressions of tokenizer.json, which are written for Oniguruma.
#ifndef HEED_TEXT_TOKENIZER_REGEX_H_
#define HEED_TEXT_TOKENIZER_REGEX_H_

#include <string>
#include <string_view>

#include "heed/text/tokenizer/part.h"
#include "heed/text/tokenizer/scanners.h"

namespace heed::tokens {

/// Finder of a regular expression: a scanner if there is one, otherwise ICU's
/// engine with limits of time and memory.
/// Throws: FormatError that begins with `where` if ICU refuses the pattern or
/// the pattern uses a construct that differs between Oniguruma and ICU. The
/// finder throws Error if matching takes too long.
Finder RegexFinder(std::string_view pattern, const std::string& where);

/// Finder of a fixed text; an empty text is never found.
Finder TextFinder(std::string wanted);

/// Finder of the member "pattern": {"Regex": ...} or {"String": ...}. Throws:
/// FormatError.
Finder PatternFinder(const Part& part);

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_REGEX_H_
