// The columns of a table that tell the time of its rows.
#ifndef HEED_DATA_SERIES_TIME_H_
#define HEED_DATA_SERIES_TIME_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/config.h"
#include "heed/data/time_axis.h"

namespace heed {

/// Cells of a row, or of a column.
using TableCells = std::vector<std::string>;

/// Columns that together tell the time.
struct TimePlace {
  enum class Join : uint8_t {
    kSpace,      ///< one cell, or a date and its time of day
    kHour,       ///< a date and a number of hours
    kClock,      ///< a date and digits, "130000", or "13.00.00"
    kCalendar,   ///< year, month, day, hour, minute, or the first of them
    kDayOfYear,  ///< year, day of the year, hour, minute
    kQuarter,    ///< year, quarter
    kWeek,       ///< year, week
  };

  std::vector<size_t> columns;
  Join join = Join::kSpace;

  /// The time of a row in one text.
  std::string Cell(const TableCells& row) const;
  std::string Name(const TableCells& names) const;
};

/// Part of a table in which the time is searched.
struct TimeSearch {
  std::span<const TableCells> rows;  ///< the first ones, without a header
  const TableCells& names;           ///< of all columns
  std::function<bool(const std::string& name)> is_series;  ///< known to be one
  Auto<DateOrder> order;
  std::string known_name;  ///< of the time of a model, or empty

  TableCells Column(size_t i) const;
};

struct FoundTime {
  TimePlace place = {};
  std::string kind = {};  ///< of numbers: "Unix seconds"; empty for dates
  bool doubtful = false;  ///< the numbers may also be a series
};

/// The columns that tell the time: a date before a count of rows, and a time of
/// day without a date only if there is nothing else.
std::optional<FoundTime> FindTime(const TimeSearch& search);

/// True if a column rises or falls by steps of one size, as a row number does.
bool CountsRows(const TableCells& column);

}  // namespace heed

#endif  // HEED_DATA_SERIES_TIME_H_
