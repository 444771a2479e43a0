#include "heed/data/series_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/series_time.h"

namespace heed {
namespace {

using Cells = TableCells;

/// Number of rows that are used to detect a table's format.
constexpr size_t kSampleRows = 200;
constexpr size_t kShownBytes = 40;
constexpr const char* kNoTime = "none";

/// Cell truncated for messages.
std::string Shown(const std::string& cell) {
  if (cell.size() <= kShownBytes) return cell;
  size_t end = kShownBytes;
  while (end > 0 && !BeginsCharacter(cell[end])) --end;
  return cell.substr(0, end) + "...";
}

bool IsNumberCell(const std::string& cell) {
  return ParseDecimal(cell, Decimal::kPoint) ||
         ParseDecimal(cell, Decimal::kComma);
}
bool IsTimeCell(const std::string& cell) { return !ReadTime(cell).empty(); }

/// Share of cells after the first row that are numbers or times.
double ShareOfData(const std::vector<Cells>& rows) {
  double data = 0;
  double all = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    for (const std::string& cell : rows[i]) {
      data += IsNumberCell(cell) || IsTimeCell(cell) ? 1 : 0;
      ++all;
    }
  }
  return all > 0 ? data / all : 1;
}

/// Cells of one column.
Cells ColumnOf(std::span<const Cells> rows, size_t column) {
  Cells cells;
  for (const Cells& row : rows) {
    if (column < row.size()) cells.push_back(row[column]);
  }
  return cells;
}

class SeriesTableReader {
 public:
  SeriesTableReader(std::vector<std::string> lines, const std::string& name,
                    const SeriesFormat& format, const KnownSeries* known)
      : name_(name), format_(format), known_(known), lines_(std::move(lines)) {
    while (!lines_.empty() && TrimBlanks(lines_.back()).empty()) {
      lines_.pop_back();
    }
    if (lines_.empty()) throw FormatError(name_ + " has only blank lines");
    const auto announced = AnnouncedDelimiter(lines_.front());
    if (announced) first_line_ = 1;
    delimiter_ = !format.delimiter.open() ? format.delimiter.value()
                 : announced              ? *announced
                                          : Guess();
    sample_ = Sample();
    if (sample_.empty()) Fail(1, 0, "a quote is not closed");
  }

  SeriesTable Read() {
    FindHeader();
    FindTime();
    FindValues();
    FindDecimal();
    ReadRows();
    ReadTimes();
    return std::move(table_);
  }

 private:
  [[noreturn]] void Fail(int64_t line, size_t column,
                         std::string_view message) const {
    throw FormatError("{}:{}:{}: {}", name_, line, column + 1, message);
  }
  template <typename... Args>
  void Note(fmt::format_string<Args...> format, Args&&... args) {
    table_.notes.push_back(fmt::format(
        "{}: {}", name_, fmt::format(format, std::forward<Args>(args)...)));
  }
  template <typename... Args>
  void Doubt(fmt::format_string<Args...> format, Args&&... args) {
    table_.notes.push_back(
        fmt::format("warning: {}: {}", name_,
                    fmt::format(format, std::forward<Args>(args)...)));
  }

  Delimiter Guess() const {
    const size_t end = std::min(lines_.size(), first_line_ + kSampleRows + 1);
    return GuessDelimiter(
        std::span(lines_).subspan(first_line_, end - first_line_), ShareOfData);
  }

  /// Calls body(cells, line) for each row until it returns false; lines are
  /// numbered from 1. Skips empty rows and returns their number.
  int64_t ForEachRow(
      const std::function<bool(const Cells& cells, int64_t line)>& body) const {
    FieldReader reader(delimiter_, name_, true);
    int64_t empty = 0;
    for (size_t i = first_line_; i < lines_.size(); ++i) {
      const auto line = static_cast<int64_t>(i) + 1;
      const Cells* cells = reader.Add(lines_[i], line);
      if (cells == nullptr) continue;
      if (cells->size() > 1 &&
          std::ranges::all_of(*cells, &Cells::value_type::empty)) {
        ++empty;
      } else if (!body(*cells, line)) {
        return empty;
      }
    }
    reader.Finish();
    return empty;
  }

  std::vector<Cells> Sample() const {
    std::vector<Cells> rows;
    ForEachRow([&](const Cells& cells, int64_t) {
      rows.push_back(cells);
      return rows.size() <= kSampleRows;
    });
    return rows;
  }

  std::span<const Cells> Rows() const {
    return std::span(sample_).subspan(table_.header ? 1 : 0);
  }

  /// True if the first row holds numbers and times like the others.
  bool FirstRowIsData() const {
    const Cells& first = sample_.front();
    if (sample_.size() < 2) {
      return std::ranges::all_of(first, IsNumberCell);
    }
    const auto others = std::span(sample_).subspan(1);
    bool whole = true;  // all other numbers are integers
    bool counts = first.size() > 1;
    size_t fits = 0;
    for (size_t i = 0; i < first.size(); ++i) {
      const Cells column = ColumnOf(others, i);
      const bool numbers = std::ranges::all_of(column, IsNumberCell);
      const bool times = std::ranges::all_of(column, IsTimeCell);
      if (!numbers && !times) continue;
      if (!(numbers ? IsNumberCell(first[i]) : IsTimeCell(first[i]))) {
        return false;
      }
      ++fits;
      counts &=
          first[i] == std::to_string(i) || first[i] == std::to_string(i + 1);
      whole &= std::ranges::all_of(column, [](const std::string& cell) {
        return ParseInteger<int64_t>(cell).has_value();
      });
    }
    // "0,1,2" before decimal numbers is a header of column numbers.
    return fits > 0 && !(counts && !whole);
  }

  void FindHeader() {
    table_.header = format_.header.open() ? !FirstRowIsData()
                                          : format_.header == HeaderLine::kYes;
    names_ = sample_.front();
    if (table_.header) {
      if (sample_.size() < 2) {
        Fail(FirstLine(), 0, "no rows after the column names");
      }
      return;
    }
    for (size_t i = 0; i < names_.size(); ++i)
      names_[i] = std::to_string(i + 1);
    NameByModel();
    if (format_.header.open()) {
      Note(
          "line {} is a row, not a header; the columns are named {} "
          "(--header yes: it is a header)",
          FirstLine(), fmt::join(names_, ", "));
    }
  }

  /// Names unnamed columns by the known series, if their number matches: its
  /// value columns, and its time column if there is one.
  void NameByModel() {
    if (known_ == nullptr) return;
    const auto is_there = [this](const std::string& name) {
      return std::ranges::find(names_, name) != names_.end();
    };
    // The training table had no names either.
    if (is_there(known_->time_name) &&
        std::ranges::all_of(known_->names, is_there)) {
      return;
    }
    const size_t count = known_->names.size();
    if (names_.size() != count && names_.size() != count + 1) return;
    size_t time = names_.size();
    if (names_.size() > count) {
      time = 0;
      for (size_t i = names_.size(); i-- > 0;) {
        if (AllCells(i, IsTimeCell) && !AllCells(i, IsNumberCell)) time = i;
      }
      if (!known_->time_name.empty()) names_[time] = known_->time_name;
    }
    for (size_t i = 0, next = 0; i < names_.size(); ++i) {
      if (i != time) names_[i] = known_->names[next++];
    }
  }

  int64_t FirstLine() const { return static_cast<int64_t>(first_line_) + 1; }

  bool IsKnownValue(const std::string& name) const {
    return known_ != nullptr &&
           std::ranges::find(known_->names, name) != known_->names.end();
  }

  Auto<DateOrder> Order() const {
    return format_.dates.open() && known_ != nullptr ? known_->dates
                                                     : format_.dates;
  }

  void FindTime() {
    if (format_.time_column == kNoTime || names_.size() < 2) return;
    const std::string wanted = !format_.time_column.empty()
                                   ? format_.time_column
                               : known_ != nullptr ? known_->time_name
                                                   : "";
    const auto named = std::ranges::find(names_, wanted);
    if (!wanted.empty() && named != names_.end()) {
      time_.columns = {static_cast<size_t>(named - names_.begin())};
      return;
    }
    if (!format_.time_column.empty()) {
      throw ConfigError("{}: no column '{}'; there are {} (--time-column)",
                        name_, wanted, fmt::join(names_, ", "));
    }
    const auto is_series = [this](const std::string& name) {
      return IsKnownValue(name);
    };
    const auto found =
        heed::FindTime({Rows(), names_, is_series, Order(), wanted});
    if (!found) return;
    time_ = found->place;
    if (found->doubtful) {
      Doubt(
          "column '{}' is read as time ({}); --time-column none reads it as a "
          "series",
          time_.Name(names_), found->kind);
    } else if (!found->kind.empty()) {
      Note("column '{}' is read as time ({})", time_.Name(names_), found->kind);
    }
  }

  /// True if all sampled cells of a column satisfy a condition.
  template <typename Condition>
  bool AllCells(size_t column, Condition&& condition) const {
    return std::ranges::all_of(ColumnOf(Rows(), column), condition);
  }

  /// True if a column numbers the rows. pandas writes such a column without a
  /// name; next to a time column it may be named "t" or have no header.
  bool IsRowCount(size_t i) const {
    const std::string& name = names_[i];
    const bool unnamed = name.empty() || name == "Unnamed: 0";
    const bool beside = !time_.columns.empty() &&
                        (NamesTime(name) || (i == 0 && !table_.header));
    return names_.size() > 1 && ((i == 0 && unnamed) || beside) &&
           CountsRows(ColumnOf(Rows(), i));
  }

  /// True if a column is not a value column. Adds a note.
  bool IsLeftOut(size_t i) {
    const std::string& name = names_[i];
    if (std::ranges::find(time_.columns, i) != time_.columns.end()) return true;
    if (IsKnownValue(name)) return false;
    const auto is_empty = [](const std::string& cell) { return cell.empty(); };
    if (name.empty() && AllCells(i, is_empty)) return true;  // "a;b;"
    const bool first_text =
        i == 0 && time_.columns.empty() && names_.size() > 1 &&
        format_.time_column != kNoTime && !Rows().front()[0].empty() &&
        !IsNumberCell(Rows().front()[0]);
    if (first_text) {
      label_ = i;
      Doubt(
          "'{}' is not a time of a known format; rows keep the order of the "
          "file",
          name);
      return true;
    }
    if (IsRowCount(i)) {
      Note("column {} counts the rows and is left out", i + 1);
      return true;
    }
    if (!time_.columns.empty() && TellsTimeToo(i)) {
      Note("column '{}' tells a time too and is left out", name);
      return true;
    }
    return false;
  }

  /// True if a further column holds times, too: texts, or numbers with a name
  /// such as "timestamp".
  bool TellsTimeToo(size_t i) const {
    if (!AllCells(i, IsTimeCell)) return false;
    if (!AllCells(i, IsNumberCell)) return true;
    const auto column = ReadTimeColumn(ColumnOf(Rows(), i), Order(), names_[i]);
    return column && NamesTime(names_[i]) && !column->counts &&
           JudgeNumericTime(names_[i], false, *column) == NumericTime::kYes &&
           column->form != DateForm::kYear;
  }

  void FindValues() {
    std::unordered_set<std::string> seen;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (IsLeftOut(i)) continue;
      if (names_[i].empty()) Fail(FirstLine(), i, "a column without a name");
      if (!seen.insert(names_[i]).second) {
        Fail(FirstLine(), i,
             fmt::format("a second column named '{}'", names_[i]));
      }
      values_.push_back(i);
      table_.names.push_back(names_[i]);
    }
    if (values_.empty()) Fail(FirstLine(), 0, "no column of numbers");
  }

  void FindDecimal() {
    DecimalGuess guess;
    // In comma-delimited tables without quotes, cells contain no commas.
    const bool plain =
        delimiter_ == Delimiter::kComma &&
        std::ranges::none_of(lines_, [](const std::string& line) {
          return line.find('"') != std::string::npos;
        });
    if (format_.decimal.open() && !plain) {
      bool header = table_.header;
      ForEachRow([&](const Cells& cells, int64_t) {
        if (!std::exchange(header, false)) {
          for (const size_t i : values_) {
            if (i < cells.size()) guess.Add(cells[i]);
          }
        }
        return true;
      });
    }
    decimal_ = format_.decimal.open() ? guess.Decide(delimiter_)
                                      : format_.decimal.value();
    if (delimiter_ != Delimiter::kComma || decimal_ == Decimal::kComma) {
      Note("reads a {} table{}", Auto<Delimiter>(delimiter_).word(),
           decimal_ == Decimal::kComma ? " with decimal commas" : "");
    }
    const std::string doubt = guess.Doubt(delimiter_);
    if (doubt.empty() || !format_.decimal.open()) return;
    Doubt("'{}' is read as {}, but could be {} (--decimal {})", doubt,
          *ParseDecimal(doubt, decimal_), *ParseDecimal(doubt, OtherDecimal()),
          Auto<Decimal>(OtherDecimal()).word());
  }

  Decimal OtherDecimal() const {
    return decimal_ == Decimal::kPoint ? Decimal::kComma : Decimal::kPoint;
  }

  void ReadRows() {
    bool header = table_.header;
    const int64_t empty = ForEachRow([&](const Cells& cells, int64_t line) {
      if (std::exchange(header, false)) return true;
      if (cells.size() != names_.size()) {
        Fail(line, std::min(cells.size(), names_.size()),
             fmt::format("{} fields, but the first line has {}", cells.size(),
                         names_.size()));
      }
      for (const size_t i : values_) {
        table_.values.push_back(Number(cells[i], line, i));
      }
      table_.lines.push_back(line);
      if (!time_.columns.empty()) {
        table_.times.push_back(time_.Cell(cells));
      } else if (label_) {
        table_.times.push_back(cells[*label_]);
      }
      return true;
    });
    if (empty > 0) Note("{} rows without any text are left out", empty);
  }

  double Number(const std::string& cell, int64_t line, size_t column) const {
    const auto number = ParseDecimal(cell, decimal_);
    if (number) return *number;
    if (cell.empty()) {
      Fail(line, column,
           fmt::format("an empty cell in column '{}'; fill the gap",
                       names_[column]));
    }
    const bool other = ParseDecimal(cell, OtherDecimal()).has_value();
    Fail(line, column,
         fmt::format("'{}' in column '{}' is not a finite number{}",
                     Shown(cell), names_[column],
                     other ? fmt::format("; numbers are read with a decimal {} "
                                         "(--decimal {})",
                                         Auto<Decimal>(decimal_).word(),
                                         Auto<Decimal>(OtherDecimal()).word())
                           : ""));
  }

  void ReadTimes() {
    if (time_.columns.empty()) return;
    table_.time_name = time_.Name(names_);
    table_.time = ReadTimeColumn(table_.times, Order(), table_.time_name);
    if (!table_.time) FailAtTime();
    const TimeColumn& time = *table_.time;
    if (!format_.dates.open() && !time.order.open() &&
        time.order != format_.dates.value()) {
      FailAtOrder();
    }
    if (!time.assumed) return;
    const bool day_first = time.order == DateOrder::kDayFirst;
    Doubt(
        "dates such as {} are read as {} (--dates {}: {})",
        table_.times.front(), NameOf(time.form),
        Auto<DateOrder>(day_first ? DateOrder::kMonthFirst
                                  : DateOrder::kDayFirst)
            .word(),
        NameOf(day_first ? DateForm::kMonthDayYear : DateForm::kDayMonthYear));
  }

  /// Throws: FormatError with the first row whose date contradicts the
  /// requested order.
  [[noreturn]] void FailAtOrder() const {
    const bool day_first = format_.dates == DateOrder::kDayFirst;
    const DateForm wanted =
        day_first ? DateForm::kDayMonthYear : DateForm::kMonthDayYear;
    for (size_t i = 0; i < table_.times.size(); ++i) {
      const auto readings = ReadTime(table_.times[i]);
      if (std::ranges::count(readings, wanted, &TimeReading::form) > 0) {
        continue;
      }
      Fail(
          table_.lines[i], time_.columns[0],
          fmt::format("'{}' is not a date with the {} first; leave out --dates "
                      "{}",
                      Shown(table_.times[i]), day_first ? "day" : "month",
                      format_.dates.word()));
    }
    Fail(FirstLine(), time_.columns[0], "dates in another order");
  }

  /// Throws: FormatError with the first row whose time does not match the
  /// earlier ones.
  [[noreturn]] void FailAtTime() const {
    size_t good = 0;
    size_t bad = table_.times.size();
    while (bad - good > 1) {
      const size_t middle = good + (bad - good) / 2;
      (ReadTimeColumn(std::span(table_.times).first(middle), Order(),
                      table_.time_name)
           ? good
           : bad) = middle;
    }
    const std::string& cell = table_.times[bad - 1];
    Fail(table_.lines[bad - 1], time_.columns[0],
         cell.empty()
             ? fmt::format("an empty cell in column '{}', which tells the time",
                           table_.time_name)
             : fmt::format("'{}' in column '{}' is no time{}", Shown(cell),
                           table_.time_name,
                           good > 0 ? fmt::format(" as '{}' is one",
                                                  Shown(table_.times.front()))
                                    : std::string()));
  }

  const std::string& name_;
  const SeriesFormat& format_;
  const KnownSeries* known_;
  std::vector<std::string> lines_;
  size_t first_line_ = 0;
  Delimiter delimiter_ = Delimiter::kComma;
  Decimal decimal_ = Decimal::kPoint;
  std::vector<Cells> sample_;  // first rows, including the header
  Cells names_;                // of all columns
  TimePlace time_;
  std::optional<size_t> label_;  // a text column that names the rows
  std::vector<size_t> values_;
  SeriesTable table_;
};

}  // namespace

void SeriesFormat::Visit(FieldList& v) {
  v("delimiter", delimiter, "column separator of a table; auto: detect it");
  v("decimal", decimal, "decimal separator; auto: detect it");
  v("header", header,
    "first line is a header with names of columns; auto: detect it");
  v("dates", dates,
    "order of dates such as 01/02/2024; auto: the order that is valid for the "
    "whole column");
  v("time_column", time_column, Any{"NAME"},
    "column of times, by which rows are sorted; none: there is none (default: "
    "detect it)");
}

SeriesTable ReadSeriesTable(std::vector<std::string> lines,
                            const std::string& name, const SeriesFormat& format,
                            const KnownSeries* known) {
  return SeriesTableReader(std::move(lines), name, format, known).Read();
}

}  // namespace heed
