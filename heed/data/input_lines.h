// Lines that a program is given, answered in the order in which they come.
#ifndef HEED_DATA_INPUT_LINES_H_
#define HEED_DATA_INPUT_LINES_H_

#include <array>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/config.h"

namespace heed {

/// What becomes of a line that is too long.
enum class LongLines {
  kCutEnd,      ///< its beginning is read
  kCutStart,    ///< its end is read: what is continued
  kWhole,       ///< all of it: the reader divides it itself
  kCutFields,   ///< the beginning of each of its fields between tabs is read
  kStructured,  ///< all of it: limits count what it consists of, as JSON
};

/// Reaction to a line that cannot be read.
enum class OnError : uint8_t { kStop, kEmpty };
constexpr auto WordsOf(OnError) { return std::array{"stop", "empty"}; }

/// Formats of standard input.
enum class InputForm : uint8_t { kLines, kCsv, kJsonl };
constexpr auto WordsOf(InputForm) {
  return std::array{"lines", "csv", "jsonl"};
}

/// How lines are read, and what happens with those that are not fit to be.
struct InputOptions {
  int max_line = 20000;  ///< Units: characters; 0: no limit
  LongLines long_lines = LongLines::kCutEnd;
  Named<OnError> on_error = OnError::kStop;
  Named<InputForm> form = InputForm::kLines;
  std::vector<std::string> columns = {"text"};  ///< of csv and jsonl
  std::string source = "standard input";        ///< as errors name it

  void Visit(FieldList& v);
  /// The field max_line alone, where lines have a limit.
  void VisitLength(FieldList& v);
  /// The fields of the format alone.
  void VisitFormat(FieldList& v);
};

/// A line of at most `limit` characters (0: no limit) as it is. Of a longer
/// one, the first or the last characters, up to a space if there is one in the
/// half that is far from where it is cut; kCutFields: of each field by itself.
std::string CutLine(std::string_view line, int64_t limit, LongLines how);

/// Whether a line has more than `limit` characters (0: no limit).
bool IsLongerThan(std::string_view line, int64_t limit);

/// Cuts the line if it is too long and says so on standard error; `place`, as
/// "file:7", stands in the warning.
void LimitLine(std::string& line, const InputOptions& options,
               std::string_view place);

/// "standard input:1" for the line with number 0 of that source.
std::string InputPlace(int64_t index,
                       std::string_view source = InputOptions().source);

/// One line on standard error, behind the program's name.
void Say(std::string_view message);
/// A line that is marked as a warning.
void Warn(std::string_view message);

/// Lines that stand together, the first of which has this number, from 0.
using LinesFunction =
    std::function<void(const std::vector<std::string>& lines, int64_t first)>;
/// A line that cannot be answered.
using BadLineFunction =
    std::function<void(int64_t index, const std::string& reason)>;

/// Calls `answer` with the next lines of `in` (ends: LF or CRLF; a byte-order
/// mark is left out) until there are none: up to `window` together, but no more
/// than can be had without waiting, so that one line typed by hand is answered
/// at once. For std::cin, std::ios::sync_with_stdio(false) must have been
/// called before the first use. Lines that are too long are cut, with a warning
/// on standard error. With on_error "empty", `bad` is called with a line that
/// is not UTF-8 or has over 16 MiB, or for which `answer` throws FormatError
/// (it is then called with each line alone), in its turn. Of CSV and JSON
/// lines, the texts of a row are a line, with tabs between the columns (see
/// TableReader). Throws: FormatError that names such a line, after those before
/// it were answered, if it is not "empty"; IoError if reading fails.
void AnswerLines(std::istream& in, int64_t window, const InputOptions& options,
                 const LinesFunction& answer, const BadLineFunction& bad = {});

}  // namespace heed

#endif  // HEED_DATA_INPUT_LINES_H_
