// The column of a table that tells the time of its rows.
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

/// How dates are read whose day and month could be either.
enum class DateOrder : uint8_t { kDayFirst, kMonthFirst };
constexpr auto WordsOf(DateOrder) {
  return std::array{"day-first", "month-first"};
}

/// From one row to the next.
struct TimeStep {
  int64_t microseconds = 0;  ///< 0: in months
  int64_t months = 0;
  bool business_days = false;  ///< days, without Saturdays and Sundays
  bool month_ends = false;     ///< months, from last day to last day

  bool known() const { return microseconds > 0 || months > 0; }
  /// "1 hour", "3 months", "1 business day".
  std::string Text() const;
  bool operator==(const TimeStep&) const = default;
};

/// Moments of cells that are all written in one way.
struct TimeColumn {
  DateForm form = DateForm::kYearMonthDay;
  std::vector<Moment> moments;  ///< [N]
  std::vector<Moment> local;    ///< [N] on the clock of the zone of each cell
  TimeReading pattern;          ///< as a cell is written
  bool padded = true;
  /// Which of the two orders dates have; open where their form tells, or has
  /// neither.
  Auto<DateOrder> order;
  bool assumed = false;  ///< the order is one of two that fit all cells
  bool numeric = false;  ///< all cells are numbers
  bool counts = false;   ///< plain numbers that rise by one step

  std::string Write(Moment moment) const {
    return WriteTime(moment, pattern, padded);
  }
};

/// The cells of a column as times; nothing if one of them is none. `order`
/// decides where the cells do not. Numbers below 1800 are years in a column
/// whose name says so.
std::optional<TimeColumn> ReadTimeColumn(std::span<const std::string> cells,
                                         Auto<DateOrder> order,
                                         std::string_view name = "");

/// Adds a day to times of day where they go back, as the next day has begun. Of
/// a column whose newest row is the first, takes a day where they rise.
void CountDays(TimeColumn& column);

/// Whether such a name is usual for a column of times: "date", "obs_time".
bool NamesTime(std::string_view name);

/// Whether a column of numbers is a time axis, by its name and place.
enum class NumericTime : uint8_t { kNo, kYes, kLikely };
NumericTime JudgeNumericTime(std::string_view name, bool first_column,
                             const TimeColumn& column);

/// The step of moments that rise. Unknown for fewer than two.
TimeStep StepOf(std::span<const Moment> moments);
/// Whether at least half of the rows are one step apart.
bool IsRegular(std::span<const Moment> moments, const TimeStep& step);
/// Steps from one moment to a later one, rounded.
int64_t StepsBetween(Moment from, Moment to, const TimeStep& step);
/// `count` moments behind the last one. None
/// if the step is unknown, or they would lie beyond the year 9999.
std::vector<Moment> MomentsBehind(Moment last, const TimeStep& step,
                                  int64_t count);

}  // namespace heed

#endif  // HEED_DATA_TIME_AXIS_H_
