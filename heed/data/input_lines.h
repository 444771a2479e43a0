// Processing of input lines in their order.
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

/// Handling of lines above the length limit.
enum class LongLines {
  kCutEnd,      ///< keep the prefix
  kCutStart,    ///< keep the suffix, for models that continue a text
  kWhole,       ///< keep the line; the reader splits it itself
  kCutFields,   ///< keep a prefix of each field (separated by tabs)
  kStructured,  ///< keep the line; limits apply to its parts (JSON)
};

/// Reaction to a line that cannot be read.
enum class OnError : uint8_t { kStop, kEmpty };
constexpr auto WordsOf(OnError) { return std::array{"stop", "empty"}; }

/// Format of standard input.
enum class InputForm : uint8_t { kLines, kCsv, kJsonl };
constexpr auto WordsOf(InputForm) {
  return std::array{"lines", "csv", "jsonl"};
}

/// Options of input lines and of the handling of bad ones.
struct InputOptions {
  int max_line = 20000;  ///< Units: characters; 0: no limit
  LongLines long_lines = LongLines::kCutEnd;
  Named<OnError> on_error = OnError::kStop;
  Named<InputForm> form = InputForm::kLines;
  std::vector<std::string> columns = {"text"};  ///< of csv and jsonl
  std::string source = "standard input";        ///< name for error messages

  void Visit(FieldList& v);
  /// Only the field max_line, if lines have a limit.
  void VisitLength(FieldList& v);
  /// Only the fields of the format.
  void VisitFormat(FieldList& v);
};

/// Truncates a line to `limit` characters (0: no limit). Cuts at a space if the
/// kept half next to the cut has one. kCutFields truncates each field by
/// itself.
std::string CutLine(std::string_view line, int64_t limit, LongLines how);

/// True if a line has more than `limit` characters (0: no limit).
bool IsLongerThan(std::string_view line, int64_t limit);

/// Truncates a line that is too long, with a warning on standard error.
/// `place`: place for the warning, such as "file:7".
void LimitLine(std::string& line, const InputOptions& options,
               std::string_view place);

/// Place of a line, such as "standard input:1" for index 0.
std::string InputPlace(int64_t index,
                       std::string_view source = InputOptions().source);

/// Receives consecutive lines. `first`: index of the first one, from 0.
using LinesFunction =
    std::function<void(const std::vector<std::string>& lines, int64_t first)>;
/// Receives a line that cannot be processed.
using BadLineFunction =
    std::function<void(int64_t index, const std::string& reason)>;

/// Calls `answer` with the lines of `in` until its end (line ends LF or CRLF; a
/// byte-order mark is ignored). Each call gets at most `window` lines, and only
/// lines that are available without waiting, so that a typed line is answered
/// at once. Before the first use of std::cin, call
/// std::ios::sync_with_stdio(false). Lines above the limit are truncated, with
/// a warning on standard error. With on_error "empty", `bad` receives, in
/// order, lines that are not UTF-8 or exceed 16 MiB, and lines for which
/// `answer` throws FormatError; `answer` is then called with single lines. In
/// CSV and JSON lines, the texts of a row form one line with tabs between them
/// (see TableReader). Throws: FormatError with the first bad line, after the
/// lines before it were answered, if on_error is "stop"; IoError if reading
/// fails.
void AnswerLines(std::istream& in, int64_t window, const InputOptions& options,
                 const LinesFunction& answer, const BadLineFunction& bad = {});

}  // namespace heed

#endif  // HEED_DATA_INPUT_LINES_H_
