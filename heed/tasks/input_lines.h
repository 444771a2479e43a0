// Lines that a program is given, answered in the order in which they come.
#ifndef HEED_TASKS_INPUT_LINES_H_
#define HEED_TASKS_INPUT_LINES_H_

#include <cstdint>
#include <functional>
#include <istream>
#include <string>
#include <vector>

namespace heed {

/// Calls `answer` with the next lines of `in` (ends: LF or CRLF; a byte-order
/// mark is left out) until there are none: up to `window` together, but no more
/// than can be had without waiting, so that one line typed by hand is answered
/// at once. For std::cin, std::ios::sync_with_stdio(false) must have been
/// called before the first use.
/// Throws: FormatError that names a line that is not valid UTF-8, after those
/// before it were answered; IoError if reading fails.
void AnswerLines(
    std::istream& in, int64_t window,
    const std::function<void(const std::vector<std::string>&)>& answer);

}  // namespace heed

#endif  // HEED_TASKS_INPUT_LINES_H_
