// Time columns of tables: format, step and extrapolation.
#ifndef HEED_DATA_TIME_AXIS_H_
#define HEED_DATA_TIME_AXIS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/config.h"
#include "heed/data/time_cell.h"

namespace heed {

/// Order of day and month in ambiguous dates.
enum class DateOrder : uint8_t { kDayFirst, kMonthFirst };
constexpr auto WordsOf(DateOrder) {
  return std::array{"day-first", "month-first"};
}

/// Time between consecutive rows.
struct TimeStep {
  int64_t microseconds = 0;  ///< 0: the step is in months
  int64_t months = 0;
  bool business_days = false;  ///< days without Saturdays and Sundays
  bool month_ends = false;     ///< months, from last day to last day

  bool known() const { return microseconds > 0 || months > 0; }
  /// Step as text: "1 hour", "3 months", "1 business day".
  std::string Text() const;
  bool operator==(const TimeStep&) const = default;
};

/// Moments of cells in one format.
struct TimeColumn {
  DateForm form = DateForm::kYearMonthDay;
  std::vector<Moment> moments;  ///< [N]
  std::vector<Moment> local;    ///< [N] in the local time of each cell's zone
  TimeReading pattern;          ///< format of the cells
  bool padded = true;
  /// Order of day and month; open if the format has no ambiguity.
  Auto<DateOrder> order;
  bool assumed = false;  ///< both orders fit all cells
  bool numeric = false;  ///< all cells are numbers
  bool counts = false;   ///< plain numbers that rise by a constant step

  std::string Write(Moment moment) const {
    return WriteTime(moment, pattern, padded);
  }
};

/// Parses the cells of a column as times; nullopt if a cell is not a time.
/// `order`: order of day and month where cells are ambiguous. Numbers below
/// 1800 are years if the column's name says so.
std::optional<TimeColumn> ReadTimeColumn(std::span<const std::string> cells,
                                         Auto<DateOrder> order,
                                         std::string_view name = "");

/// Adds a day at each backward jump of a column with times of day. If the
/// newest row comes first, subtracts a day at each forward jump.
void CountDays(TimeColumn& column);

/// True if the name is usual for a time column: "date", "obs_time".
bool NamesTime(std::string_view name);

/// Decides by name and position whether a column of numbers is a time axis.
enum class NumericTime : uint8_t { kNo, kYes, kLikely };
NumericTime JudgeNumericTime(std::string_view name, bool first_column,
                             const TimeColumn& column);

/// Step of ascending moments. Unknown for fewer than two.
TimeStep StepOf(std::span<const Moment> moments);
/// True if at least half of the rows are one step apart.
bool IsRegular(std::span<const Moment> moments, const TimeStep& step);
/// Rounded number of steps from one moment to a later one.
int64_t StepsBetween(Moment from, Moment to, const TimeStep& step);
/// The `count` moments after the last one. Empty if the step is unknown, or if
/// they exceed the year 9999.
std::vector<Moment> MomentsBehind(Moment last, const TimeStep& step,
                                  int64_t count);

}  // namespace heed

#endif  // HEED_DATA_TIME_AXIS_H_
