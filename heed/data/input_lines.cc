#include "heed/data/input_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <istream>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/table.h"
#include "heed/io/file.h"

namespace heed {
namespace {

bool IsSpace(char byte) { return byte == ' ' || byte == '\t'; }

/// Number of bytes of the first `count` characters.
size_t BytesOfFirst(std::string_view line, int64_t count) {
  size_t bytes = 0;
  while (bytes < line.size() && count >= 0) {
    if (BeginsCharacter(line[bytes]) && --count < 0) break;
    ++bytes;
  }
  return bytes;
}

/// Number of bytes before the last `count` characters.
size_t BytesBeforeLast(std::string_view line, int64_t count) {
  size_t begin = line.size();
  while (begin > 0 && count > 0) {
    if (BeginsCharacter(line[--begin])) --count;
  }
  return begin;
}

/// Buffer of lines that are answered together.
class Window {
 public:
  Window(const InputOptions& options, const LinesFunction& answer,
         const BadLineFunction& bad)
      : answer_(answer),
        bad_(options.on_error == OnError::kEmpty ? &bad : nullptr),
        advice_(bad ? "; --on-error empty answers it with an empty line" : "") {
  }

  int64_t size() const { return std::ssize(lines_); }
  void Add(std::string line) { lines_.push_back(std::move(line)); }

  void Answer() {
    const std::vector<std::string> lines = std::exchange(lines_, {});
    if (lines.empty()) return;
    try {
      answer_(lines, first_);
    } catch (const FormatError& error) {
      if (bad_ == nullptr) Stop(error.what());
      if (lines.size() == 1) return Refuse(error.what());
      for (const std::string& line : lines) {
        lines_ = {line};
        Answer();
      }
      return;
    }
    first_ += std::ssize(lines);
  }

  /// Reports the next line as bad.
  void Refuse(const std::string& reason) {
    if (bad_ == nullptr) Stop(reason);
    Warn(reason + "; answered with an empty line");
    (*bad_)(first_++, reason);
  }

 private:
  [[noreturn]] void Stop(const std::string& reason) const {
    throw FormatError(reason + advice_);
  }

  const LinesFunction& answer_;
  const BadLineFunction* bad_;
  const char* advice_;
  std::vector<std::string> lines_;
  int64_t first_ = 0;
};

/// Reads the next line; slightly more than kMaxLineBytes of a longer one.
/// Returns false at the end.
bool NextLine(std::istream& in, std::string& line) {
  line.clear();
  std::array<char, 65536> part;
  while (line.size() <= kMaxLineBytes) {
    in.getline(part.data(), part.size());
    const auto count = static_cast<size_t>(in.gcount());
    if (in.eof() || in.bad()) {
      line.append(part.data(), count);
      return !in.bad() && !line.empty();
    }
    if (!in.fail()) {
      line.append(part.data(), count - 1);  // without the line end
      return true;
    }
    in.clear();  // the line continues
    line.append(part.data(), count);
  }
  return true;
}

/// Texts of the row that this line completes.
std::optional<std::string> RowOf(TableReader& table, const std::string& line,
                                 int64_t number) {
  const std::optional<TableRow> row = table.Add(line, number);
  if (!row) return std::nullopt;
  return InOneLine(fmt::format("{}", fmt::join(*row, "\t")));
}

}  // namespace

void InputOptions::VisitLength(FieldList& v) {
  if (long_lines == LongLines::kStructured) return;
  v("max_line", max_line, Range(0, 1e9),
    long_lines == LongLines::kWhole
        ? "split lines of more than N characters at sentence ends, and join "
          "the answers; 0: no limit"
        : fmt::format("read at most N characters of {} and drop its {}, with a "
                      "warning; 0: no limit",
                      long_lines == LongLines::kCutFields
                          ? "each text of a line"
                          : "a line",
                      long_lines == LongLines::kCutStart ? "start" : "end"));
}

void InputOptions::VisitFormat(FieldList& v) {
  v("input_format", form,
    "format of standard input: lines, a table with a header or a JSON "
    "object a line");
  v("columns", columns, Any{"NAMES"},
    "csv, jsonl: the columns to read; several are joined by tabs");
}

void InputOptions::Visit(FieldList& v) {
  v.Section("Input");
  VisitLength(v);
  v("on_error", on_error,
    "action for an invalid input line (not UTF-8, wrong format): stop, or "
    "write an empty line and a warning");
  VisitFormat(v);
}

namespace {

std::string_view CutText(std::string_view line, int64_t limit, LongLines how) {
  if (!IsLongerThan(line, limit) || how == LongLines::kWhole ||
      how == LongLines::kStructured) {
    return line;
  }
  if (how == LongLines::kCutEnd) {
    const size_t end = BytesOfFirst(line, limit);
    size_t space = end;
    while (space > end / 2 && !IsSpace(line[space])) --space;
    return line.substr(0, space > end / 2 ? space : end);
  }
  const size_t begin = BytesBeforeLast(line, limit);
  const size_t middle = begin + (line.size() - begin) / 2;
  size_t space = begin;
  while (space < middle && !IsSpace(line[space - 1])) ++space;
  return line.substr(space < middle ? space : begin);
}

}  // namespace

std::string CutLine(std::string_view line, int64_t limit, LongLines how) {
  if (how != LongLines::kCutFields) {
    return std::string(CutText(line, limit, how));
  }
  std::vector<std::string_view> fields = SplitAt(line, "\t");
  for (std::string_view& field : fields) {
    field = CutText(field, limit, LongLines::kCutEnd);
  }
  return fmt::format("{}", fmt::join(fields, "\t"));
}

bool IsLongerThan(std::string_view line, int64_t limit) {
  return limit > 0 && line.size() > static_cast<size_t>(limit) &&
         BytesOfFirst(line, limit) < line.size();
}

void LimitLine(std::string& line, const InputOptions& options,
               std::string_view place) {
  if (!IsLongerThan(line, options.max_line)) return;
  std::string kept = CutLine(line, options.max_line, options.long_lines);
  if (kept.size() == line.size()) return;
  Warn(fmt::format("{}: longer than {} characters; only {} read (--max-line)",
                   place, options.max_line,
                   options.long_lines == LongLines::kCutFields
                       ? "the starts of its texts are"
                   : options.long_lines == LongLines::kCutEnd ? "its start is"
                                                              : "its end is"));
  line = std::move(kept);
}

std::string InputPlace(int64_t index, std::string_view source) {
  return fmt::format("{}:{}", source, index + 1);
}

void AnswerLines(std::istream& in, int64_t window, const InputOptions& options,
                 const LinesFunction& answer, const BadLineFunction& bad) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  Window waiting(options, answer, bad);
  std::unique_ptr<TableReader> table;
  if (options.form != InputForm::kLines) {
    table =
        MakeTableReader(options.form.word(), options.columns, options.source);
  }
  int64_t index = 0;
  for (std::string line; NextLine(in, line); ++index) {
    if (index == 0 && line.starts_with(kByteOrderMark)) {
      line.erase(0, kByteOrderMark.size());
    }
    if (line.ends_with('\r')) line.pop_back();
    const std::string place = InputPlace(index, options.source);
    if (line.size() > kMaxLineBytes) {
      waiting.Answer();
      waiting.Refuse(fmt::format("{}: a line of over {} MiB; split it", place,
                                 kMaxLineBytes >> 20));
      in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
      continue;
    }
    if (!IsValidUtf8(line)) {
      waiting.Answer();
      waiting.Refuse(place + ": not valid UTF-8");
      continue;
    }
    if (table) {
      std::optional<std::string> row;
      try {
        row = RowOf(*table, line, index + 1);
      } catch (const FormatError& error) {
        waiting.Answer();
        waiting.Refuse(error.what());
        continue;
      }
      if (!row) continue;
      line = std::move(*row);
    }
    LimitLine(line, options, place);
    waiting.Add(std::move(line));
    if (waiting.size() >= window || in.rdbuf()->in_avail() <= 0) {
      waiting.Answer();
    }
  }
  if (in.bad()) throw IoError("{}: cannot be read", options.source);
  waiting.Answer();
  if (!table) return;
  try {
    table->Finish();
  } catch (const FormatError& error) {
    waiting.Refuse(error.what());
  }
}

}  // namespace heed
