#include "heed/data/series_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "heed/base/text.h"
#include "heed/data/numbers.h"

namespace heed {
namespace {

using TimeJoin = TimePlace::Join;
using Aliases = std::span<const std::string_view>;

constexpr std::array<std::string_view, 9> kYearColumns = {
    "year", "yr", "yyyy", "#yyyy", "jahr", "año", "ano", "anno", "année"};
constexpr std::array<std::string_view, 7> kMonthColumns = {
    "month", "mo", "mon", "mm", "monat", "mes", "mois"};
constexpr std::array<std::string_view, 7> kDayColumns = {
    "day", "dy", "dd", "tag", "día", "dia", "jour"};
constexpr std::array<std::string_view, 9> kHourColumns = {
    "hour", "hours", "hr", "hh", "std", "stunde", "hora", "heure", "ora"};
constexpr std::array<std::string_view, 4> kMinuteColumns = {"minute", "minutes",
                                                            "min", "mm"};
constexpr std::array<std::string_view, 4> kDayOfYearColumns = {
    "doy", "dayofyear", "day_of_year", "yday"};

constexpr std::array<Aliases, 5> kCalendarParts = {
    kYearColumns, kMonthColumns, kDayColumns, kHourColumns, kMinuteColumns};
constexpr std::array<Aliases, 4> kDayOfYearParts = {
    kYearColumns, kDayOfYearColumns, kHourColumns, kMinuteColumns};

constexpr std::array<std::string_view, 5> kQuarterColumns = {
    "quarter", "qtr", "q", "quartal", "trimestre"};
constexpr std::array<std::string_view, 7> kWeekColumns = {
    "week", "wk", "weekofyear", "week_of_year", "woche", "kw", "semaine"};

constexpr std::array<Aliases, 2> kQuarterParts = {kYearColumns,
                                                  kQuarterColumns};
constexpr std::array<Aliases, 2> kWeekParts = {kYearColumns, kWeekColumns};

bool TellsTime(const std::string& cell) { return !ReadTime(cell).empty(); }

bool IsNamed(const std::string& name, Aliases aliases) {
  return std::ranges::find(aliases, Lowercase(name)) != aliases.end();
}

bool IsHour(const std::string& cell) {
  const auto hour = ParseInteger<int>(cell);
  return hour && *hour >= 0 && *hour <= 24;
}

/// Adds colons to "130000", "1300" and "13.00.00"; nullopt for other texts.
std::optional<std::string> WithColons(std::string_view cell) {
  std::string digits(cell);
  if (cell.size() == 8 && cell[2] == '.' && cell[5] == '.') {
    std::erase(digits, '.');
  }
  const bool whole = (digits.size() == 6 || digits.size() == 4) &&
                     ParseInteger<uint64_t>(digits).has_value();
  if (!whole) return std::nullopt;
  digits.insert(2, ":");
  if (digits.size() > 5) digits.insert(5, ":");
  return digits;
}

bool IsClock(const std::string& cell) {
  const auto clock = WithColons(cell);
  return clock && TellsTime(*clock);
}

/// Date of a day of a year; for invalid input a text that is not a time.
std::string DateOfYear(const std::string& year, const std::string& day) {
  const auto y = ParseInteger<int>(year);
  const auto d = ParseInteger<int>(day);
  const auto first = y ? DaysOf({*y, 1, 1}) : std::nullopt;
  if (first && d) {
    const CalendarDay date = CalendarDayOf(*first + *d - 1);
    if (date.year == *y) {
      return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
    }
  }
  return fmt::format("{} day {}", year, day);
}

class TimeFinder {
 public:
  explicit TimeFinder(const TimeSearch& search) : search_(search) {}

  std::optional<FoundTime> Find() const {
    std::optional<FoundTime> column = BestColumn();
    std::optional<TimePlace> parts =
        FindParts(kCalendarParts, TimeJoin::kCalendar);
    if (!parts) parts = FindParts(kDayOfYearParts, TimeJoin::kDayOfYear);
    if (!parts) parts = FindParts(kQuarterParts, TimeJoin::kQuarter);
    if (!parts) parts = FindParts(kWeekParts, TimeJoin::kWeek);
    // Year and month columns are less precise than a column of dates.
    if (parts && (!column || parts->Name(search_.names) == search_.known_name ||
                  Different(*parts) >= Different(column->place))) {
      return FoundTime{std::move(*parts)};
    }
    if (column) return column;
    if (IsNearlyTime(0)) return FoundTime{{{0}}};
    return std::nullopt;
  }

 private:
  size_t Different(const TimePlace& place) const {
    std::set<std::string> cells;
    for (const TableCells& row : search_.rows) {
      if (row.size() == search_.names.size()) cells.insert(place.Cell(row));
    }
    return cells.size();
  }

  /// Reliability of a time column, most reliable first.
  enum Rank : uint8_t {
    kSure,
    kDoubtful,
    kCount,
    kClockOnly,
    kLikelyCount,
    kNoTime
  };

  Rank RankOf(const TimeColumn& column, size_t i) const {
    const std::string& name = search_.names[i];
    if (column.form == DateForm::kTimeOfDay) {
      return i == 0 || NamesTime(name) ? kClockOnly : kNoTime;
    }
    if (!column.numeric) return kSure;
    const NumericTime judged = JudgeNumericTime(name, i == 0, column);
    if (judged == NumericTime::kNo) return kNoTime;
    if (column.counts && judged == NumericTime::kYes) return kCount;
    if (column.counts) return kLikelyCount;
    return judged == NumericTime::kYes ? kSure : kDoubtful;
  }

  std::optional<FoundTime> BestColumn() const {
    Rank best = kNoTime;
    FoundTime found;
    for (size_t i = 0; i < search_.names.size(); ++i) {
      if (search_.is_series(search_.names[i])) continue;
      const auto column =
          ReadTimeColumn(search_.Column(i), search_.order, search_.names[i]);
      const Rank rank = column ? RankOf(*column, i) : kNoTime;
      if (rank >= best) continue;
      best = rank;
      found.place = WithClock(i, *column);
      found.doubtful = rank == kDoubtful || rank == kLikelyCount;
      const bool plain =
          !column->numeric || column->form == DateForm::kYearMonthDay;
      found.kind = column->counts           ? "steps"
                   : plain && rank == kSure ? ""
                                            : std::string(NameOf(column->form));
    }
    if (best == kNoTime) return std::nullopt;
    return found;
  }

  /// Adds the column with the time of day to a date column, if there is one.
  TimePlace WithClock(size_t date, const TimeColumn& column) const {
    const bool days = column.form != DateForm::kTimeOfDay && !column.counts &&
                      !column.pattern.has_clock;
    if (!days) return {{date}};
    for (size_t i = 0; i < search_.names.size(); ++i) {
      if (i == date || search_.is_series(search_.names[i])) continue;
      const auto clock = ReadTimeColumn(search_.Column(i), {});
      if (clock && clock->form == DateForm::kTimeOfDay) return {{date, i}};
    }
    for (size_t i = 0; i < search_.names.size(); ++i) {
      if (i == date || search_.is_series(search_.names[i])) continue;
      const std::string& name = search_.names[i];
      TimePlace both = {{date, i}, TimeJoin::kHour};
      const bool needed = both.Name(search_.names) == search_.known_name ||
                          Different({{date}}) < search_.rows.size();
      if (!needed) continue;
      const TableCells cells = search_.Column(i);
      const bool hours = IsNamed(name, kHourColumns) || NamesTime(name);
      if (hours && std::ranges::all_of(cells, IsHour)) {
        return both;
      }
      if (NamesTime(name) && std::ranges::all_of(cells, IsClock)) {
        return {{date, i}, TimeJoin::kClock};
      }
    }
    return {{date}};
  }

  /// Finds columns named like the leading parts of a date, at least two.
  std::optional<TimePlace> FindParts(std::span<const Aliases> parts,
                                     TimeJoin join) const {
    TimePlace place = {{}, join};
    for (const Aliases part : parts) {
      size_t at = 0;
      while (at < search_.names.size() &&
             (!IsNamed(search_.names[at], part) ||
              search_.is_series(search_.names[at]) ||
              std::ranges::find(place.columns, at) != place.columns.end())) {
        ++at;
      }
      if (at == search_.names.size()) break;
      place.columns.push_back(at);
    }
    const auto fits = [&](const TableCells& row) {
      constexpr size_t kYearDigits = 4;
      return row.size() == search_.names.size() &&
             row[place.columns[0]].size() == kYearDigits &&
             TellsTime(place.Cell(row));
    };
    for (; place.columns.size() > 1; place.columns.pop_back()) {
      if (place.columns.size() < search_.names.size() &&
          std::ranges::all_of(search_.rows, fits)) {
        return place;
      }
    }
    return std::nullopt;
  }

  /// True if most cells are non-numeric times. The others are then errors in
  /// the data.
  bool IsNearlyTime(size_t i) const {
    constexpr double kMax = 0.6;
    const TableCells cells = search_.Column(i);
    const auto times =
        std::ranges::count_if(cells, [](const std::string& cell) {
          return TellsTime(cell) && !ParseDecimal(cell, Decimal::kPoint) &&
                 !ParseDecimal(cell, Decimal::kComma);
        });
    return static_cast<double>(times) >
           kMax * static_cast<double>(cells.size());
  }

  const TimeSearch& search_;
};

}  // namespace

std::string TimePlace::Cell(const TableCells& row) const {
  if (columns.size() == 1) return row[columns[0]];
  const std::string& second = row[columns[1]];
  switch (join) {
    case TimeJoin::kSpace:
      return row[columns[0]] + " " + second;
    case TimeJoin::kHour:
      return fmt::format("{} {:0>2}:00", row[columns[0]], second);
    case TimeJoin::kClock:
      return row[columns[0]] + " " + WithColons(second).value_or(second);
    case TimeJoin::kQuarter:
      return fmt::format("{}-Q{}", row[columns[0]],
                         second.substr(second.starts_with('Q') ? 1 : 0));
    case TimeJoin::kWeek:
      return fmt::format("{}-W{:0>2}", row[columns[0]], second);
    case TimeJoin::kCalendar:
    case TimeJoin::kDayOfYear:
      break;
  }
  // Day, then hours and minutes.
  size_t next = 2;
  std::string text;
  if (join == TimeJoin::kDayOfYear) {
    text = DateOfYear(row[columns[0]], second);
  } else {
    text = fmt::format("{}-{:0>2}", row[columns[0]], second);
    if (columns.size() > 2)
      text += fmt::format("-{:0>2}", row[columns[next++]]);
  }
  if (next == columns.size()) return text;
  text += fmt::format(" {:0>2}", row[columns[next++]]);
  return text + (next < columns.size()
                     ? fmt::format(":{:0>2}", row[columns[next]])
                     : ":00");
}

std::string TimePlace::Name(const TableCells& names) const {
  const bool joins_one_time = join != TimeJoin::kSpace &&
                              join != TimeJoin::kHour &&
                              join != TimeJoin::kClock;
  if (joins_one_time) return "time";
  std::string name = names[columns[0]];
  if (columns.size() > 1) name += " " + names[columns[1]];
  return name.empty() ? "time" : name;
}

TableCells TimeSearch::Column(size_t i) const {
  TableCells cells;
  for (const TableCells& row : rows) {
    if (i < row.size()) cells.push_back(row[i]);
  }
  return cells;
}

std::optional<FoundTime> FindTime(const TimeSearch& search) {
  return TimeFinder(search).Find();
}

bool CountsRows(const TableCells& column) {
  const auto counted = ReadTimeColumn(column, {});
  if (!counted || !counted->numeric || column.size() < 3) return false;
  const std::vector<Moment>& moments = counted->moments;
  const Moment step = moments[1] - moments[0];
  if (step == 0) return false;
  for (size_t i = 1; i < moments.size(); ++i) {
    if (moments[i] - moments[i - 1] != step) return false;
  }
  return counted->counts;
}

}  // namespace heed
